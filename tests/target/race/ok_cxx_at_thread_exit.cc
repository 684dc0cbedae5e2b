/* set_value_at_thread_exit and notify_all_at_thread_exit: destructors of thread-local objects first
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

static int merged, other;
static std::mutex m;
static std::condition_variable cv;
static bool done;

struct merger {
    int mine = 0;
    ~merger() { merged += mine; }
};
static thread_local merger part;

int main()
{
    std::promise<void> p;
    auto f = p.get_future();
    std::thread a([&p] {
        part.mine = 4;
        p.set_value_at_thread_exit();
    });
    f.get();
    int first = merged;
    a.join();
    std::thread b([] {
        std::unique_lock lock(m);
        other = 2;
        done = true;
        std::notify_all_at_thread_exit(cv, std::move(lock));
    });
    {
        std::unique_lock lock(m);
        cv.wait(lock, [] { return done; });
    }
    other++;
    b.join();
    return first != 4 || other != 3;
}
