/* A future waited for under a lock
 * cause:    future.get() while holding the mutex the producer needs
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <future>
#include <mutex>
#include <thread>

static std::mutex registry;
static int entries;

static void produce(std::promise<int> result)
{
    std::lock_guard<std::mutex> lk(registry);
    result.set_value(++entries);
}

int main()
{
    std::promise<int> p;
    std::future<int> f = p.get_future();
    std::thread t(produce, std::move(p));
    int got;
    {
        std::lock_guard<std::mutex> lk(registry);
        got = f.get();
    }
    t.join();
    return got - 1;
}
