/* A cache with static storage is destroyed under a detached thread
 * cause:    static destructor against a thread that nobody joins
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <map>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::map<int, std::string> cache;

static void refresh()
{
    for (int i = 0; i < 3; i++) {
        std::lock_guard<std::mutex> hold(lock);
        cache[i] = "a value that is longer than what fits into the object itself";
    }
}

int main()
{
    {
        std::lock_guard<std::mutex> hold(lock);
        cache[7] = "the first value, as long as the others are, on the heap";
    }
    std::thread(refresh).detach();
    std::thread other(refresh);
    other.join();
}
