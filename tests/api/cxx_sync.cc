// The C++ library's own forms: mutexes, shared_mutex, condition_variable, future.
#include "check.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

template <typename M> static void exclusion()
{
    M m;
    int counter = 0;
    std::vector<std::thread> t;
    for (int i = 0; i < 3; i++)
        t.emplace_back([&] {
            for (int j = 0; j < 10; j++) {
                std::lock_guard<M> g(m);
                int c = counter;
                std::this_thread::yield();
                counter = c + 1;
            }
        });
    for (auto &x : t)
        x.join();
    IS(counter, 30);
}

template <typename M> static void timed()
{
    M m;
    m.lock();
    std::thread([&] {
        auto before = std::chrono::steady_clock::now();
        CHECK(!m.try_lock());
        CHECK(!m.try_lock_for(3ms));
        CHECK(std::chrono::steady_clock::now() - before >= 3ms);
        auto until = std::chrono::system_clock::now() + 3ms;
        CHECK(!m.try_lock_until(until));
        CHECK(std::chrono::system_clock::now() >= until);
    }).join();
    m.unlock();
    while (!m.try_lock_for(1000s))
        ;
    m.unlock();
}

static void conditions()
{
    std::mutex m;
    std::condition_variable c;
    std::condition_variable_any any;
    bool is_open = false;
    std::unique_lock<std::mutex> l(m);
    CHECK(!c.wait_for(l, 3ms, [&] { return is_open; }));
    auto until = std::chrono::steady_clock::now() + 3ms;
    while (c.wait_until(l, until) == std::cv_status::no_timeout)
        ;
    CHECK(std::chrono::steady_clock::now() >= until);
    std::thread t([&] {
        std::unique_lock<std::mutex> k(m);
        is_open = true;
        c.notify_all();
        any.notify_all();
        any.wait(k, [&] { return !is_open; });
    });
    c.wait(l, [&] { return is_open; });
    is_open = false;
    any.notify_one();
    l.unlock();
    t.join();
}

static void futures()
{
    std::promise<int> p;
    std::future<int> f = p.get_future();
    CHECK(f.wait_for(3ms) == std::future_status::timeout);
    std::thread t([&] { p.set_value(7); });
    while (f.wait_for(1000s) != std::future_status::ready)
        ;
    IS(f.get(), 7);
    t.join();
    auto a = std::async(std::launch::async, [] { return 8; });
    IS(a.get(), 8);
    auto b = std::async(std::launch::async, []() -> int { throw 9; });
    try {
        b.get();
        CHECK(false);
    } catch (int e) {
        IS(e, 9);
    }
}

static void shared()
{
    std::shared_timed_mutex m;
    m.lock_shared();
    std::thread([&] {
        CHECK(m.try_lock_shared());
        m.unlock_shared();
        CHECK(!m.try_lock());
        CHECK(!m.try_lock_for(3ms));
        CHECK(m.try_lock_shared_for(3ms));
        m.unlock_shared();
    }).join();
    m.unlock_shared();
    m.lock();
    std::thread([&] {
        CHECK(!m.try_lock_shared());
        CHECK(!m.try_lock_shared_for(3ms));
    }).join();
    m.unlock();
}

int main()
{
    exclusion<std::mutex>();
    exclusion<std::recursive_mutex>();
    exclusion<std::timed_mutex>();
    exclusion<std::shared_mutex>();
    timed<std::timed_mutex>();
    timed<std::recursive_timed_mutex>();
    conditions();
    futures();
    shared();
    auto before = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(3ms);
    CHECK(std::chrono::steady_clock::now() - before >= 3ms);
    return 0;
}
