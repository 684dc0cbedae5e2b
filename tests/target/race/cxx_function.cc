/* A callback is replaced while another thread calls it
 * build:    g++ -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <functional>
#include <thread>

static int first() { return 1; }
static int second() { return 2; }
static int (*callback)() = first;
static std::function<int()> holder = [] { return callback(); }; /* R2 */

int main()
{
    int seen = 0;
    std::thread a([] { callback = second; /* R1 */ });
    std::thread b([&] { seen = holder(); });
    a.join();
    b.join();
    std::printf("%d\n", seen);
}
