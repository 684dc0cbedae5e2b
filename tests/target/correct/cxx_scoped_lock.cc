/* std::scoped_lock over two mutexes in both orders
 * cause:    none: it locks without deadlock in any order
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex a, b;
static int from = 6, to;

int main()
{
    std::thread one([] {
        for (int i = 0; i < 3; i++) {
            std::scoped_lock both(a, b);
            from--, to++;
        }
    });
    std::thread two([] {
        for (int i = 0; i < 3; i++) {
            std::scoped_lock both(b, a);
            from--, to++;
        }
    });
    one.join();
    two.join();
    assert(from == 0 && to == 6);
}
