/* Copy on write: readers take a shared_ptr under a lock and read without it; writers replace it
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * races:    none
 */
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::shared_ptr<const std::vector<int>> list = std::make_shared<std::vector<int>>(1, 1);

static std::shared_ptr<const std::vector<int>> snapshot()
{
    std::lock_guard lock(m);
    return list;
}

static void add(int v)
{
    std::lock_guard lock(m);
    auto copy = std::make_shared<std::vector<int>>(*list);
    copy->push_back(v);
    list = std::move(copy);
}

int main()
{
    auto reader = [] {
        for (int i = 0; i < 3; i++) {
            int sum = 0;
            auto s = snapshot();
            for (int v : *s)
                sum += v;
            if (sum != (int)s->size())
                std::terminate();
        }
    };
    std::thread a(reader), b(reader);
    add(1), add(1);
    a.join(), b.join();
    return list->size() != 3;
}
