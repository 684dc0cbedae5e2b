/* std::thread with mutex and condition_variable
 * cause:    none: RAII locks, predicate waits
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::condition_variable cv;
static std::deque<int> queue;
static bool is_closed;

static void consume(int *sum)
{
    std::unique_lock lock(m);
    for (;;) {
        cv.wait(lock, [] { return !queue.empty() || is_closed; });
        if (queue.empty())
            return;
        *sum += queue.front();
        queue.pop_front();
    }
}

int main()
{
    int sum[2] = {0, 0};
    std::vector<std::thread> threads;
    for (int &s : sum)
        threads.emplace_back(consume, &s);
    for (int i = 1; i <= 4; i++) {
        {
            std::scoped_lock lock(m);
            queue.push_back(i);
        }
        cv.notify_one();
    }
    {
        std::scoped_lock lock(m);
        is_closed = true;
    }
    cv.notify_all();
    for (std::thread &t : threads)
        t.join();
    assert(sum[0] + sum[1] == 10);
}
