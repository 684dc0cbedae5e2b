/* Queue of Vyukov: the number of the cell is raised before the value is in it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <atomic>
#include <cstdio>
#include <thread>

struct cell {
    std::atomic<unsigned> seq;
    int value;
};
static cell ring[2];
static std::atomic<unsigned> tail{0}, head{0};

static bool push(int v)
{
    unsigned pos = tail.load();
    for (;;) {
        cell &c = ring[pos & 1];
        int d = (int)(c.seq.load() - pos);
        if (d < 0)
            return false;
        if (d == 0 && tail.compare_exchange_strong(pos, pos + 1)) {
            c.seq.store(pos + 1);
            c.value = v; /* R1 */
            return true;
        }
        pos = tail.load();
    }
}

static bool pop(int &v)
{
    unsigned pos = head.load();
    for (;;) {
        cell &c = ring[pos & 1];
        int d = (int)(c.seq.load() - (pos + 1));
        if (d < 0)
            return false;
        if (d == 0 && head.compare_exchange_strong(pos, pos + 1)) {
            v = c.value; /* R2 */
            c.seq.store(pos + 2);
            return true;
        }
        pos = head.load();
    }
}

int main()
{
    int v = 0;
    ring[1].seq = 1;
    std::thread t([] { push(7); });
    for (int i = 0; i < 4 && !pop(v); i++)
        std::this_thread::yield();
    t.join();
    std::printf("%d\n", v);
}
