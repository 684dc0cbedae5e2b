/* A unique_ptr that was moved away
 * cause:    one thread moves what another one still uses
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <memory>
#include <thread>

struct buffer {
    int used = 0;
};
static std::unique_ptr<buffer> shared = std::make_unique<buffer>();

static void writer()
{
    shared->used++;
}

int main()
{
    std::thread t(writer);
    std::unique_ptr<buffer> mine = std::move(shared);
    t.join();
    return mine ? 0 : 1;
}
