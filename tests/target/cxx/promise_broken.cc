/* A promise that is never kept
 * cause:    a producer that stops early destroys its promise
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <future>
#include <thread>

static std::atomic<bool> is_stopping{false};

static void produce(std::promise<int> result)
{
    if (is_stopping)
        return;
    result.set_value(42);
}

int main()
{
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t(produce, std::move(p));
    is_stopping = true;
    int got = f.get();
    t.join();
    return got != 42;
}
