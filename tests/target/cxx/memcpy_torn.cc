/* A message copied while it is written
 * cause:    memcpy of a struct that another thread fills
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <cstring>
#include <thread>

struct message {
    volatile int first = 0;
    volatile int last = 0;
};
static message shared;

static void writer()
{
    shared.first = 1;
    shared.last = 1;
}

int main()
{
    std::thread t(writer);
    message copy;
    std::memcpy((void *)&copy, (void *)&shared, sizeof copy);
    assert(copy.first == copy.last);
    t.join();
}
