/* A counter that lambdas share
 * cause:    a local captured by reference, changed without a lock
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <thread>
#include <vector>

int main()
{
    int count = 0;
    std::vector<std::thread> all;
    for (int i = 0; i < 2; i++)
        all.emplace_back([&count] {
            int seen = count;
            count = seen + 1;
        });
    for (auto &t : all)
        t.join();
    assert(count == 2);
}
