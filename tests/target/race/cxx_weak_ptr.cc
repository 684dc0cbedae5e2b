/* A weak_ptr that one thread sets while another locks it
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <memory>
#include <thread>

static std::weak_ptr<int> cache;

int main()
{
    auto p = std::make_shared<int>(4);
    int got = 0;
    std::thread a([&] { cache = p; /* R1 */ }), b([&] {
        if (auto q = cache.lock()) /* R2 */
            got = *q;
    });
    a.join(), b.join();
    std::printf("%d\n", got);
}
