/* A reader that wants to write
 * cause:    a shared_lock is not given up before the unique_lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex table_lock;
static int table;

static void update()
{
    std::shared_lock<std::shared_mutex> reading(table_lock);
    if (table < 2) {
        std::unique_lock<std::shared_mutex> writing(table_lock);
        table++;
    }
}

int main()
{
    std::thread t(update);
    t.join();
    update();
}
