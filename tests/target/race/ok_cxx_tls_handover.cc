/* The destructor of a thread_local adds to what main reads after the join; the next thread has the same memory
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <mutex>
#include <thread>
#include <vector>

static std::mutex m;
static std::vector<int> all;

struct collector {
    std::vector<int> mine;
    ~collector()
    {
        std::lock_guard lock(m);
        all.insert(all.end(), mine.begin(), mine.end());
    }
};
static thread_local collector c;

int main()
{
    for (int round = 0; round < 2; round++) {
        std::thread a([] { c.mine.push_back(1); c.mine.push_back(2); });
        std::thread b([] { c.mine.push_back(3); });
        a.join();
        b.join();
    }
    int sum = 0;
    for (int i : all)
        sum += i;
    return sum != 12;
}
