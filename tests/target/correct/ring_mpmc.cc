/* Vyukov's bounded MPMC queue
 * cause:    none: sequence numbers of the cells
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <thread>
struct cell {
    std::atomic<size_t> seq;
    int data;
};
static cell cells[4];
static std::atomic<size_t> enq, deq;
static bool put(int v)
{
    size_t pos = enq.load(std::memory_order_relaxed);
    for (;;) {
        cell &c = cells[pos & 3];
        intptr_t d = (intptr_t)c.seq.load(std::memory_order_acquire) - (intptr_t)pos;
        if (d == 0) {
            if (enq.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
                c.data = v;
                c.seq.store(pos + 1, std::memory_order_release);
                return true;
            }
        } else if (d < 0)
            return false;
        else
            pos = enq.load(std::memory_order_relaxed);
    }
}
static bool get(int &v)
{
    size_t pos = deq.load(std::memory_order_relaxed);
    for (;;) {
        cell &c = cells[pos & 3];
        intptr_t d = (intptr_t)c.seq.load(std::memory_order_acquire) - (intptr_t)(pos + 1);
        if (d == 0) {
            if (deq.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
                v = c.data;
                c.seq.store(pos + 4, std::memory_order_release);
                return true;
            }
        } else if (d < 0)
            return false;
        else
            pos = deq.load(std::memory_order_relaxed);
    }
}
int main()
{
    for (size_t i = 0; i < 4; i++)
        cells[i].seq = i;
    std::atomic<int> sum{0}, got{0};
    auto prod = [] {
        for (int i = 1; i <= 3; i++)
            while (!put(i))
                std::this_thread::yield();
    };
    auto cons = [&] {
        int v;
        while (got.load() < 6)
            if (get(v)) {
                sum += v;
                got++;
            } else
                std::this_thread::yield();
    };
    std::thread a(prod), b(prod), c(cons), d(cons);
    a.join();
    b.join();
    c.join();
    d.join();
    assert(sum == 12);
}
