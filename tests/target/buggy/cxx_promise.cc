/* Two answers to one question
 * cause:    std::promise set twice: the test and the setting are two steps
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <atomic>
#include <cassert>
#include <future>
#include <thread>

static std::promise<int> answer;
static std::atomic<bool> is_answered{false};

static void mirror(int value)
{
    if (is_answered) // A
        return;
    is_answered = true; // B
    try {
        answer.set_value(value);
    } catch (const std::future_error &) {
        assert(!"answered once");
    }
}

int main()
{
    std::thread a(mirror, 1), b(mirror, 2);
    int got = answer.get_future().get();
    a.join();
    b.join();
    return got == 1 || got == 2 ? 0 : 1;
}
