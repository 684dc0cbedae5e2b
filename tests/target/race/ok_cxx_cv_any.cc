/* condition_variable_any over a shared_mutex and a stop token; readers wait under the shared lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <condition_variable>
#include <cstdlib>
#include <shared_mutex>
#include <stop_token>
#include <thread>

static std::shared_mutex lock;
static std::condition_variable_any changed;
static int version, data;

static void reader(std::stop_token stop, int from, int *last)
{
    std::shared_lock<std::shared_mutex> l(lock);
    changed.wait(l, stop, [&] { return version > from; });
    *last = version ? data : 0;
}

int main()
{
    int seen[2] = {};
    {
        std::jthread a(reader, 0, &seen[0]), b(reader, 5, &seen[1]);
        {
            std::unique_lock<std::shared_mutex> l(lock);
            data = 7;
            version = 1;
        }
        changed.notify_all();
        a.join();
        b.request_stop();
    }
    return seen[0] != 7 || (seen[1] != 7 && seen[1] != 0);
}
