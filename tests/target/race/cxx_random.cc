/* One generator of random numbers for two threads
 * build:    clang++ -shared-libsan -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <cstdio>
#include <random>
#include <thread>

static std::minstd_rand gen(1);

int main()
{
    unsigned long x, y;
    std::thread a([&] { x = gen(); }), b([&] { y = gen(); }); /* R1 */
    a.join(), b.join();
    std::printf("%lu\n", x ^ y);
}
