/* A configuration swapped as std::atomic<std::shared_ptr>
 * cause:    none: readers keep the version they loaded alive
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it does not know the lock bit inside libstdc++
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>

struct config {
    int a, b;
};
static std::atomic<std::shared_ptr<const config>> current{std::make_shared<const config>(config{0, 0})};

int main()
{
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; i++)
        readers.emplace_back([] {
            for (int k = 0; k < 3; k++) {
                auto c = current.load();
                assert(c->a == c->b);
            }
        });
    for (int i = 1; i <= 3; i++)
        current.store(std::make_shared<const config>(config{i, i}));
    for (auto &t : readers)
        t.join();
    assert(current.load()->a == 3);
}
