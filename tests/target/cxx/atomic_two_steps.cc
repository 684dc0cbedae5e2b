/* An atomic updated in two steps
 * cause:    load and store of std::atomic instead of fetch_add
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <atomic>
#include <cassert>
#include <thread>

namespace stats {
struct counters {
    std::atomic<long> requests{0};
    void count() { requests.store(requests.load() + 1); }
};
counters global;
}

int main()
{
    std::thread a(&stats::counters::count, &stats::global);
    std::thread b(&stats::counters::count, &stats::global);
    a.join();
    b.join();
    assert(stats::global.requests == 2);
}
