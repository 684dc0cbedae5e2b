/* A notification between the look and the sleep
 * cause:    std::condition_variable: the predicate is changed without the mutex
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable cv;
static std::atomic<bool> is_ready{false};

static void waiter()
{
    std::unique_lock lock(m);
    while (!is_ready)
        cv.wait(lock); // B
}

static void notifier()
{
    is_ready = true;
    cv.notify_one(); // A
}

int main()
{
    std::thread w(waiter), n(notifier);
    w.join();
    n.join();
}
