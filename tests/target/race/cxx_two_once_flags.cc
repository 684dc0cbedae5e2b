/* Two once flags for the same initialization
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <cstdio>
#include <mutex>
#include <thread>

static std::once_flag by_get, by_set;
static int loads;

static void load()
{
    loads++; /* R1 */
}

int main()
{
    std::thread a([] { std::call_once(by_get, load); }), b([] { std::call_once(by_set, load); });
    a.join(), b.join();
    std::printf("%d\n", loads > 0);
}
