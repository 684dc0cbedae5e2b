/* A latch that nobody opens
 * cause:    a worker that fails early does not count the latch down
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <latch>
#include <thread>

static std::latch ready(2);
static std::atomic<bool> is_cancelled{false};

static void worker()
{
    if (is_cancelled)
        return;
    ready.count_down();
}

int main()
{
    std::thread a(worker), b(worker);
    is_cancelled = true;
    ready.wait();
    a.join();
    b.join();
}
