/* A weak_ptr whose object has gone
 * cause:    the result of lock() is not looked at
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <memory>
#include <thread>

struct cache {
    int hits = 0;
};

static void touch(std::weak_ptr<cache> watch)
{
    watch.lock()->hits++;
}

int main()
{
    auto owner = std::make_shared<cache>();
    std::thread t(touch, std::weak_ptr<cache>(owner));
    owner.reset();
    t.join();
}
