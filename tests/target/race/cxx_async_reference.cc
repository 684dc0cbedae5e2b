/* A task of std::async changes a local variable by reference while its creator reads it
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <cstdio>
#include <future>

int main()
{
    int progress = 0;
    auto f = std::async(std::launch::async, [&] {
        progress = 1; /* R1 */
        return 2;
    });
    int early = progress; /* R2 */
    int v = f.get();
    std::printf("%d %d\n", early, v);
}
