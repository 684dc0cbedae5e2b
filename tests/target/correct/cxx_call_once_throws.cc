/* std::call_once whose function throws at first
 * cause:    none: the next caller tries again, the others wait
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, its pthread_once never returns after an exception
 */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::once_flag flag;
static int tries, made;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([] {
            for (;;)
                try {
                    std::call_once(flag, [] {
                        if (++tries < 3)
                            throw std::runtime_error("not yet");
                        made++;
                    });
                    break;
                } catch (const std::runtime_error &) {
                }
        });
    for (auto &t : threads)
        t.join();
    assert(tries == 3 && made == 1);
}
