/* A stop that comes too early
 * cause:    a jthread looks at its stop token, then waits for a notification
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex m;
static std::condition_variable cv;

static void worker(std::stop_token stop)
{
    while (!stop.stop_requested()) {
        std::unique_lock<std::mutex> lk(m);
        cv.wait(lk);
    }
}

int main()
{
    std::jthread t(worker);
    t.request_stop();
    cv.notify_all();
}
