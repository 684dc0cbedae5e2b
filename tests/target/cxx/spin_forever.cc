/* A spin lock that is never given back
 * cause:    an early return leaves the atomic_flag set
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   hang
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <thread>

class spin_lock {
public:
    void lock()
    {
        while (is_taken_.exchange(true))
            std::this_thread::yield();
    }
    void unlock() { is_taken_ = false; }

private:
    std::atomic<bool> is_taken_{false};
};
static spin_lock guard;
static std::atomic<int> work{1};

static void worker()
{
    guard.lock();
    if (work.load() == 0)
        return;
    work--;
    guard.unlock();
}

int main()
{
    std::thread a(worker);
    std::thread b(worker);
    a.join();
    b.join();
    guard.lock();
    guard.unlock();
}
