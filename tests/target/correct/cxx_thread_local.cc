/* thread_local objects with constructors and destructors
 * cause:    none: each thread has its own; destructors run before join returns
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

static std::atomic<int> alive, made;
struct counted {
    int n = 0;
    counted() { alive++, made++; }
    ~counted() { alive--; }
};
static thread_local counted mine;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 3; k++)
                mine.n++;
            assert(mine.n == 3);
        });
    for (auto &t : threads)
        t.join();
    assert(made == 3 && alive == 0);
}
