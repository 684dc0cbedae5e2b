/* A shared_ptr copied while it is replaced
 * cause:    one std::shared_ptr object assigned and copied without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct config {
    std::atomic<bool> is_alive{true};
};
static config first, second;

/* control blocks are never reused, so that the failure is always the same */
alignas(64) static char arena[1024];
static size_t arena_used;
template <class T> struct keep {
    using value_type = T;
    keep() = default;
    template <class U> keep(const keep<U> &) {}
    T *allocate(size_t n)
    {
        arena_used += 64;
        return reinterpret_cast<T *>(arena + arena_used);
    }
    void deallocate(T *, size_t) {}
};

static std::shared_ptr<config> wrap(config *c)
{
    return {c, [](config *dead) { dead->is_alive = false; }, keep<config>()};
}

static std::shared_ptr<config> current = wrap(&first);

static void user()
{
    std::shared_ptr<config> mine = current;
    assert(mine->is_alive); // B
}

static void reload()
{
    current = wrap(&second); // A
}

int main()
{
    std::thread u(user), r(reload);
    u.join();
    r.join();
}
