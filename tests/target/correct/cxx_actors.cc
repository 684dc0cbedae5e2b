/* Actors with mailboxes on a pool; an actor runs on one thread at a time, its state is plain
 * cause:    none: an actor runs on one thread at a time
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
struct pool {
    std::mutex m;
    std::condition_variable cv;
    std::deque<std::function<void()>> q;
    bool stop = false;
    std::vector<std::jthread> ts;
    pool()
    {
        for (int i = 0; i < 2; i++)
            ts.emplace_back([this] { run(); });
    }
    void run()
    {
        for (;;) {
            std::unique_lock l(m);
            cv.wait(l, [&] { return stop || !q.empty(); });
            if (q.empty())
                return;
            auto f = std::move(q.front());
            q.pop_front();
            l.unlock();
            f();
        }
    }
    void post(std::function<void()> f)
    {
        {
            std::lock_guard l(m);
            q.push_back(std::move(f));
        }
        cv.notify_one();
    }
    ~pool()
    {
        {
            std::lock_guard l(m);
            stop = true;
        }
        cv.notify_all();
    }
};
struct actor : std::enable_shared_from_this<actor> {
    pool &p;
    std::mutex m;
    std::deque<int> box;
    bool scheduled = false;
    int sum = 0;
    std::atomic<int> *left;
    actor(pool &p, std::atomic<int> *l) : p(p), left(l) {}
    void send(int v)
    {
        std::lock_guard l(m);
        box.push_back(v);
        if (!scheduled) {
            scheduled = true;
            p.post([s = shared_from_this()] { s->drain(); });
        }
    }
    void drain()
    {
        for (;;) {
            int v;
            {
                std::lock_guard l(m);
                if (box.empty()) {
                    scheduled = false;
                    return;
                }
                v = box.front();
                box.pop_front();
            }
            sum += v;
            if (left->fetch_sub(1) == 1)
                left->notify_all();
        }
    }
};
int main()
{
    std::atomic<int> left{6};
    pool p;
    auto a = std::make_shared<actor>(p, &left), b = std::make_shared<actor>(p, &left);
    std::thread t([&] {
        for (int i = 1; i <= 3; i++)
            a->send(i);
    });
    for (int i = 1; i <= 3; i++)
        b->send(i);
    t.join();
    for (int v; (v = left.load());)
        left.wait(v);
    assert(a->sum == 6 && b->sum == 6);
}
