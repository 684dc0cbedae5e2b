/* A task that is run twice
 * cause:    two workers take the same packaged_task
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <functional>
#include <future>
#include <mutex>
#include <thread>

static std::mutex m;
static std::packaged_task<int()> task([] { return 1; });
static bool is_taken;

static bool is_free()
{
    std::lock_guard<std::mutex> lk(m);
    return !is_taken;
}

static void worker()
{
    if (is_free()) {
        {
            std::lock_guard<std::mutex> lk(m);
            is_taken = true;
        }
        task();
    }
}

int main()
{
    std::thread a(worker), b(worker);
    a.join();
    b.join();
}
