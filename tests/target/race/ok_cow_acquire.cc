/* Copy on write by hand: a count of one, read with acquire, means that the block may be changed in place
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <cstdlib>
#include <thread>

struct block {
    std::atomic<int> count;
    int value;
};

struct text {
    block *b;
    explicit text(int v) : b(new block{1, v}) {}
    text(const text &o) : b(o.b) { b->count.fetch_add(1, std::memory_order_relaxed); }
    ~text() { drop(); }
    void drop()
    {
        if (b->count.fetch_sub(1, std::memory_order_acq_rel) == 1)
            delete b;
    }
    void set(int v)
    {
        if (b->count.load(std::memory_order_acquire) != 1) {
            block *n = new block{1, b->value};
            drop();
            b = n;
        }
        b->value = v;
    }
    int get() const { return b->value; }
};

int main()
{
    text a(1);
    std::thread t([c = a]() mutable {
        if (c.get() != 1)
            std::abort();
        c.set(2);
    });
    std::thread u([c = a]() mutable {
        if (c.get() != 1)
            std::abort();
    });
    a.set(3);
    t.join();
    u.join();
    return a.get() != 3;
}
