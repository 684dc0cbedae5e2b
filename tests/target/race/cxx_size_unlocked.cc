/* size() of a vector without the lock under which it grows
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> queue;

int main()
{
    std::size_t n = 0;
    std::thread a([] {
        std::lock_guard lock(m);
        queue.push_back(1); /* R1 */
    });
    std::thread b([&] { n = queue.size(); /* R2 */ });
    a.join(), b.join();
    std::printf("%zu\n", n);
}
