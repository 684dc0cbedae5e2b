/* A wait with the lock taken twice
 * cause:    condition_variable_any gives a recursive mutex up once
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::recursive_mutex m;
static std::condition_variable_any filled;
static int items;

static void take()
{
    std::unique_lock<std::recursive_mutex> lk(m);
    while (items == 0)
        filled.wait(lk);
    items--;
}

static void take_two()
{
    std::lock_guard<std::recursive_mutex> outer(m);
    take();
}

static void put()
{
    std::lock_guard<std::recursive_mutex> lk(m);
    items++;
    filled.notify_one();
}

int main()
{
    std::thread t(put);
    take_two();
    t.join();
}
