/* The wrong waiter is woken
 * cause:    notify_one where waiters wait for different things
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   lost-wakeup
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex m;
static std::condition_variable changed;
static int turn;

static void wait_for(int number)
{
    std::unique_lock<std::mutex> lk(m);
    changed.wait(lk, [number] { return turn == number; });
    turn++;
    changed.notify_one();
}

int main()
{
    std::thread a(wait_for, 1), b(wait_for, 2), c(wait_for, 3);
    {
        std::lock_guard<std::mutex> lk(m);
        turn = 1;
        changed.notify_one();
    }
    a.join();
    b.join();
    c.join();
}
