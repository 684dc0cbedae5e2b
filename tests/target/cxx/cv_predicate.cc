/* A predicate changed without its mutex
 * cause:    the flag of a wait with predicate is set outside the lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

class gate {
public:
    void pass()
    {
        std::unique_lock<std::mutex> lk(mutex_);
        opened_.wait(lk, [this] { return is_open_.load(); });
    }
    void open()
    {
        is_open_ = true;
        opened_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable opened_;
    std::atomic<bool> is_open_{false};
};

int main()
{
    gate g;
    std::thread t(&gate::pass, &g);
    g.open();
    t.join();
}
