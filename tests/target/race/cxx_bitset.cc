/* Two bits of a std::bitset, one for each thread, lie in one word
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include <bitset>
#include <cstdio>
#include <thread>

static std::bitset<64> done;

int main()
{
    std::thread a([] { done.set(3); }), b([] { done.set(40); }); /* R1 */
    a.join(), b.join();
    std::printf("%zu\n", done.count());
}
