/* Two threads append to a vector
 * cause:    push_back without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <thread>
#include <vector>

static std::vector<int> results;

static void add(int value)
{
    results.push_back(value);
}

int main()
{
    results.reserve(8);
    std::thread a(add, 1), b(add, 2);
    a.join();
    b.join();
    assert(results.size() == 2);
}
