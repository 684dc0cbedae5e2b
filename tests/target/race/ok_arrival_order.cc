/* Prints who came first: any order is right
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
std::mutex m;
std::vector<int> order;
int main()
{
    std::vector<std::jthread> ts;
    for (int i = 0; i < 3; i++)
        ts.emplace_back([i] {
            {
                std::lock_guard l(m);
                order.push_back(i);
            }
            std::this_thread::yield();
            std::lock_guard l(m);
            order.push_back(i + 10);
        });
    ts.clear();
    for (int x : order)
        std::printf("%d ", x);
    std::puts("");
}
