/* A coroutine is resumed by two threads with nothing that orders them
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <coroutine>
#include <cstdio>
#include <exception>
#include <thread>

struct task {
    struct promise_type {
        task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> h;
};

static int steps;
static task count()
{
    for (;;) {
        steps++; /* R1 */
        co_await std::suspend_always{};
    }
}

int main()
{
    task t = count();
    std::thread a([&] { t.h.resume(); }), b([&] { t.h.resume(); });
    a.join(), b.join();
    std::printf("%d\n", steps);
    t.h.destroy();
}
