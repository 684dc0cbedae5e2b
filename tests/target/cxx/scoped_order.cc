/* Two guards in opposite order
 * cause:    std::lock_guard of two mutexes in opposite order
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   deadlock
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <mutex>
#include <thread>

struct account {
    std::mutex lock;
    int balance = 100;
};
static account savings, checking;

static void transfer(account &from, account &to, int amount)
{
    std::lock_guard<std::mutex> a(from.lock);
    std::lock_guard<std::mutex> b(to.lock);
    from.balance -= amount;
    to.balance += amount;
}

int main()
{
    std::thread t([] { transfer(savings, checking, 1); });
    transfer(checking, savings, 2);
    t.join();
}
