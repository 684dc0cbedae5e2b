/* A static variable of a function, built with -fno-threadsafe-statics
 * build:    g++ -std=c++20 -g -O1 -fno-threadsafe-statics -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <cstdio>
#include <thread>

static int next_id;
struct table {
    int id;
    table() : id(++next_id) {} /* R1 */
};

static int get()
{
    static table t;
    return t.id;
}

int main()
{
    int x, y;
    std::thread a([&] { x = get(); }), b([&] { y = get(); });
    a.join(), b.join();
    std::printf("%d %d\n", x > 0, y > 0);
}
