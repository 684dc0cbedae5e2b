/* std::atomic_load and atomic_store of a shared_ptr; atomic<shared_ptr>; what they point to is plain
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

static std::shared_ptr<std::vector<int>> old_way = std::make_shared<std::vector<int>>(1, 1);
static std::atomic<std::shared_ptr<std::vector<int>>> new_way{std::make_shared<std::vector<int>>(2, 1)};

int main()
{
    auto reader = [] {
        for (int i = 0; i < 2; i++) {
            auto p = std::atomic_load(&old_way);
            auto q = new_way.load();
            int sum = 0;
            for (int v : *p)
                sum += v;
            for (int v : *q)
                sum += v;
            if (sum != (int)(p->size() + q->size()))
                std::terminate();
        }
    };
    std::thread a(reader), b(reader);
    for (int i = 2; i < 4; i++) {
        std::atomic_store(&old_way, std::make_shared<std::vector<int>>(i, 1));
        new_way.store(std::make_shared<std::vector<int>>(i, 1));
    }
    a.join(), b.join();
}
