/* A list is walked without the lock under which another thread appends
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <list>
#include <mutex>
#include <thread>

struct Item {
    int value;
};
static std::list<Item> items(1);
static std::mutex lock;

static void change()
{
    std::lock_guard<std::mutex> hold(lock);
    items.front().value = 4; /* R1 */
}

static void sum()
{
    int n = 0;
    for (Item &item : items)
        n += item.value; /* R2 */
    std::printf("%d\n", n);
}

int main()
{
    std::thread a(change), b(sum);
    a.join();
    b.join();
}
