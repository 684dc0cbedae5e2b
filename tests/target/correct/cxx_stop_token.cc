/* std::jthread with a stop token and condition_variable_any
 * cause:    none: the wait ends when stop is requested
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable_any changed;
static int items, taken;

int main()
{
    {
        std::jthread consumer([](std::stop_token stop) {
            std::unique_lock l(lock);
            while (changed.wait(l, stop, [] { return items > 0; })) {
                items--;
                taken++;
            }
        });
        for (int i = 0; i < 3; i++) {
            std::lock_guard l(lock);
            items++;
            changed.notify_one();
        }
    }
    assert(items + taken == 3);
}
