/* An exception nobody catches
 * cause:    at() of a vector that another thread has emptied
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> queue{1};

static bool is_empty()
{
    std::lock_guard<std::mutex> lk(m);
    return queue.empty();
}

static int take()
{
    std::lock_guard<std::mutex> lk(m);
    int value = queue.at(0);
    queue.erase(queue.begin());
    return value;
}

static void consumer()
{
    if (!is_empty())
        take();
}

int main()
{
    std::thread a(consumer), b(consumer);
    a.join();
    b.join();
}
