/* A maximum that goes down
 * cause:    std::thread: compare and store of a std::atomic are two steps
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> maximum{0};

static void offer(int value)
{
    if (maximum.load() < value) // A
        maximum.store(value);   // B
}

int main()
{
    std::thread low(offer, 3), high(offer, 8);
    low.join();
    high.join();
    assert(maximum == 8);
}
