/* std::atomic::wait with a notification after every change
 * cause:    none: the waiter compares, the writer always notifies
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> turn{0};
static int value;

static void player(int me)
{
    for (int i = me; i < 6; i += 2) {
        for (int seen; (seen = turn.load()) != i;)
            turn.wait(seen);
        assert(value == i);
        value++;
        turn.store(i + 1);
        turn.notify_all();
    }
}

int main()
{
    std::thread even(player, 0), odd(player, 1);
    even.join();
    odd.join();
    assert(value == 6);
}
