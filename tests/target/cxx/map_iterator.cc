/* An iterator whose element was erased
 * cause:    an iterator of std::map kept outside the lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <map>
#include <mutex>
#include <thread>

static std::mutex m;
static std::map<int, int> table = {{1, 10}, {2, 20}};

static std::map<int, int>::iterator find(int key)
{
    std::lock_guard<std::mutex> lk(m);
    return table.find(key);
}

static void drop(int key)
{
    std::lock_guard<std::mutex> lk(m);
    table.erase(key);
}

int main()
{
    std::thread t(drop, 1);
    auto it = find(1);
    int value = it == table.end() ? 10 : it->second;
    t.join();
    return value != 10;
}
