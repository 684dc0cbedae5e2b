/* std::shared_mutex around a map
 * cause:    none: shared_lock to look, unique_lock to change
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

static std::shared_mutex rw;
static std::map<std::string, int> table;

static int lookup(const std::string &name)
{
    std::shared_lock lock(rw);
    auto it = table.find(name);
    return it == table.end() ? 0 : it->second;
}

static void add(const char *name)
{
    for (int i = 0; i < 2; i++) {
        std::unique_lock lock(rw);
        table[name]++;
    }
    assert(lookup(name) == 2);
}

int main()
{
    std::thread a(add, "a"), b(add, "b");
    assert(lookup("a") <= 2);
    a.join();
    b.join();
    assert(table.size() == 2);
}
