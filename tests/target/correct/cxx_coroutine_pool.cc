/* Coroutines hop between two threads of a small pool
 * cause:    none: a coroutine is posted last, when its frame is not touched any more
 * build:    g++ -std=c++20 -fcoroutines -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <thread>
struct pool {
    std::mutex m;
    std::condition_variable cv;
    std::deque<std::coroutine_handle<>> q;
    bool stop = false;
    void run()
    {
        for (;;) {
            std::unique_lock l(m);
            cv.wait(l, [&] { return stop || !q.empty(); });
            if (q.empty())
                return;
            auto h = q.front();
            q.pop_front();
            l.unlock();
            h.resume();
        }
    }
    void post(std::coroutine_handle<> h)
    {
        {
            std::lock_guard l(m);
            q.push_back(h);
        }
        cv.notify_one();
    }
    void end()
    {
        {
            std::lock_guard l(m);
            stop = true;
        }
        cv.notify_all();
    }
};
struct hop {
    pool &p;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) { p.post(h); }
    void await_resume() {}
};
static std::atomic<int> finished;
static pool *the;
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept
        {
            if (++finished == 3)
                the->end();
            return {};
        }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};
task work(pool &p, int *out)
{
    int local = 0;
    for (int i = 0; i < 3; i++) {
        co_await hop{p};
        local += i;
    }
    *out = local;
}
int main()
{
    pool p;
    the = &p;
    int r[3] = {};
    std::thread a([&] { p.run(); }), b([&] { p.run(); });
    for (int &x : r)
        work(p, &x);
    a.join();
    b.join();
    for (int x : r)
        assert(x == 3);
}
