/* Two tasks add to one sum
 * cause:    std::async tasks change a member without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <future>

struct account {
    long balance = 0;
    void deposit(long amount) { balance += amount; }
};

int main()
{
    account a;
    auto x = std::async(std::launch::async, [&a] { a.deposit(10); });
    auto y = std::async(std::launch::async, [&a] { a.deposit(20); });
    x.get();
    y.get();
    assert(a.balance == 30);
}
