/* A queue emptied by somebody else
 * cause:    empty() and front() of a deque in two critical sections
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   500 runs
 * strategy: random,pct,pos
 */
#include <cassert>
#include <deque>
#include <mutex>
#include <thread>

struct mailbox {
    std::mutex lock;
    std::deque<int> letters;
    bool is_empty()
    {
        std::lock_guard lk(lock);
        return letters.empty();
    }
    int take()
    {
        std::lock_guard lk(lock);
        assert(!letters.empty());
        int value = letters.front();
        letters.pop_front();
        return value;
    }
};
static mailbox box;

static void reader()
{
    while (!box.is_empty())
        box.take();
}

int main()
{
    box.letters = {1, 2};
    std::thread a(reader), b(reader);
    a.join();
    b.join();
}
