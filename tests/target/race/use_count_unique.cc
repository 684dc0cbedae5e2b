/* use_count() of 1 is taken for sole ownership: it orders nothing
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    memory-order
 */
#include <cstdio>
#include <memory>
#include <thread>

struct text {
    int length = 3;
};

int main()
{
    auto mine = std::make_shared<text>();
    int seen = 0;
    std::thread t([copy = mine, &seen]() mutable {
        seen = copy->length; /* R1 */
        copy.reset();
    });
    while (mine.use_count() != 1)
        std::this_thread::yield();
    mine->length = 4; /* R2 */
    t.join();
    std::printf("%d\n", seen);
}
