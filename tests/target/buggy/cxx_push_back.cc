/* Two elements in one place of a vector
 * cause:    std::vector::push_back by two threads without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails; or B before A: both do the same
 * preemptions: 1
 */
#include <cassert>
#include <thread>
#include <vector>

static std::vector<int> results;

static void odd()
{
    results.push_back(1); // A
}

static void even()
{
    results.push_back(2); // B
}

int main()
{
    results.reserve(2); /* enough room: nothing moves */
    std::thread a(odd), b(even);
    a.join();
    b.join();
    assert(results.size() == 2);
}
