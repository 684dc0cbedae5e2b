/* std::shared_ptr: one object, each thread with its own copy
 * cause:    none: copies are made before the threads, the count is atomic
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

static std::atomic<int> destroyed{0};
static std::once_flag once;
static int inits;

struct config {
    int width = 80;
    ~config() { destroyed++; }
};

static void user(std::shared_ptr<const config> mine)
{
    std::call_once(once, [] { inits++; });
    std::weak_ptr<const config> weak = mine;
    assert(mine->width == 80);
    mine.reset();
    if (std::shared_ptr<const config> again = weak.lock())
        assert(again->width == 80);
}

int main()
{
    auto shared = std::make_shared<const config>();
    std::thread a(user, shared), b(user, shared);
    shared.reset();
    a.join();
    b.join();
    assert(destroyed == 1 && inits == 1);
}
