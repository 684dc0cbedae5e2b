/* Bounded queue for several producers and consumers: a sequence number in each cell (Vyukov)
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <string>
#include <thread>

struct cell {
    std::atomic<unsigned> seq;
    std::string text;
};
static cell ring[2];
static std::atomic<unsigned> tail{0}, head{0};

static bool push(const std::string &s)
{
    unsigned pos = tail.load(std::memory_order_relaxed);
    for (;;) {
        cell &c = ring[pos & 1];
        int d = (int)(c.seq.load(std::memory_order_acquire) - pos);
        if (d == 0) {
            if (tail.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
                c.text = s;
                c.seq.store(pos + 1, std::memory_order_release);
                return true;
            }
        } else if (d < 0)
            return false;
        else
            pos = tail.load(std::memory_order_relaxed);
    }
}

static bool pop(std::string &s)
{
    unsigned pos = head.load(std::memory_order_relaxed);
    for (;;) {
        cell &c = ring[pos & 1];
        int d = (int)(c.seq.load(std::memory_order_acquire) - (pos + 1));
        if (d == 0) {
            if (head.compare_exchange_weak(pos, pos + 1, std::memory_order_relaxed)) {
                s = std::move(c.text);
                c.seq.store(pos + 2, std::memory_order_release);
                return true;
            }
        } else if (d < 0)
            return false;
        else
            pos = head.load(std::memory_order_relaxed);
    }
}

int main()
{
    for (unsigned i = 0; i < 2; i++)
        ring[i].seq = i;
    std::atomic<int> sum{0};
    auto producer = [](int v) {
        for (int i = 0; i < 2; i++)
            while (!push(std::to_string(v + i)))
                std::this_thread::yield();
    };
    auto consumer = [&] {
        std::string s;
        for (int i = 0; i < 2; i++) {
            while (!pop(s))
                std::this_thread::yield();
            sum += std::stoi(s);
        }
    };
    std::thread a(producer, 1), b(producer, 10), c(consumer), d(consumer);
    a.join(), b.join(), c.join(), d.join();
    return sum != 24;
}
