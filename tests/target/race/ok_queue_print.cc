/* Workers take jobs and print who did what; producer closes the queue
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
std::mutex m;
std::condition_variable cv;
std::queue<int> q;
bool closed;
int done;
int main()
{
    std::vector<std::jthread> ws;
    for (int w = 0; w < 2; w++)
        ws.emplace_back([w] {
            for (;;) {
                std::unique_lock l(m);
                cv.wait(l, [] { return closed || !q.empty(); });
                if (q.empty())
                    return;
                int j = q.front();
                q.pop();
                l.unlock();
                std::printf("w%d j%d\n", w, j);
                l.lock();
                done++;
            }
        });
    for (int i = 0; i < 4; i++) {
        std::lock_guard l(m);
        q.push(i);
        cv.notify_one();
    }
    {
        std::lock_guard l(m);
        closed = true;
        cv.notify_all();
    }
    ws.clear();
    return done != 4;
}
