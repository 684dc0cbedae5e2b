/* Copy on write: the count is given up with relaxed order, and another thread deletes the text
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 * result:   is freed by
 */
#include <atomic>
#include <cstdio>
#include <thread>

struct rep {
    std::atomic<int> refs{1};
    char text[8] = "abc";
};

static void look(rep *r)
{
    volatile char first = r->text[0]; /* R1 */
    (void)first;
    r->refs.fetch_sub(1, std::memory_order_relaxed);
}

static rep *copy(rep *r)
{
    rep *n = new rep;
    if (r->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
        delete r; /* R2 */
    return n;
}

int main()
{
    rep *r = new rep;
    r->refs.store(2);
    std::thread t(look, r);
    rep *mine = copy(r);
    t.join();
    std::puts("end");
    delete mine;
}
