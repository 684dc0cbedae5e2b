/* A cache: looked up under the shared lock, filled under the exclusive one after looking again
 * build:    clang++ -shared-libsan -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

static std::shared_mutex m;
static std::map<int, std::string> cache;
static int filled;

static std::string get(int key)
{
    {
        std::shared_lock lock(m);
        auto it = cache.find(key);
        if (it != cache.end())
            return it->second;
    }
    std::unique_lock lock(m);
    auto [it, is_new] = cache.try_emplace(key, std::to_string(key * 11));
    if (is_new)
        filled++;
    return it->second;
}

int main()
{
    auto work = [] {
        for (int i = 0; i < 3; i++)
            if (get(i & 1) != (i & 1 ? "11" : "0"))
                std::terminate();
    };
    std::thread a(work), b(work);
    a.join(), b.join();
    return filled != 2;
}
