/* A waiter that nobody notifies
 * cause:    std::atomic::wait: the notification depends on a look taken too early
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: pct,random,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <atomic>
#include <thread>

static std::atomic<int> result{0};
static std::atomic<bool> is_waiting{false};
static volatile std::atomic<int> progress{0};

static void consumer()
{
    is_waiting = true;
    result.wait(0); // A
}

static void producer()
{
    bool notify = is_waiting;
    for (int i = 1; i <= 20; i++)
        progress = i;
    result = 1; // B
    if (notify)
        result.notify_one();
}

int main()
{
    std::thread p(producer), c(consumer);
    p.join();
    c.join();
}
