/* A coroutine that is resumed by one thread after the other, handed over under a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <coroutine>
#include <mutex>
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
    int local = 0;
    for (int i = 0; i < 4; i++) {
        local += i;
        steps = local;
        co_await std::suspend_always{};
    }
}

int main()
{
    std::mutex m;
    std::condition_variable cv;
    int turn = 0;
    task t = count();
    auto work = [&](int me) {
        for (int i = 0; i < 2; i++) {
            std::unique_lock lock(m);
            cv.wait(lock, [&] { return turn % 2 == me; });
            lock.unlock();
            t.h.resume();
            lock.lock();
            turn++;
            cv.notify_all();
        }
    };
    std::thread a(work, 0), b(work, 1);
    a.join(), b.join();
    t.h.destroy();
    return steps != 6;
}
