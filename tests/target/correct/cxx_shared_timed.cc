/* std::shared_timed_mutex and timed_mutex with try_lock_for
 * cause:    none: a timeout that fires makes the thread try again
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 * tsan:     skip, it does not know pthread_mutex_clocklock
 */
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
static std::shared_timed_mutex rw;
static std::timed_mutex lock;
static int value, reads;

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++)
        threads.emplace_back([] {
            for (int k = 0; k < 2; k++) {
                while (!rw.try_lock_shared_for(1ms))
                    ;
                int seen = value;
                rw.unlock_shared();
                assert(seen >= 0 && seen <= 2);
                while (!lock.try_lock_for(1ms))
                    ;
                reads++;
                lock.unlock();
            }
        });
    threads.emplace_back([] {
        for (int k = 0; k < 2; k++) {
            while (!rw.try_lock_for(1ms))
                ;
            value++;
            rw.unlock();
        }
    });
    for (auto &t : threads)
        t.join();
    assert(value == 2 && reads == 4);
}
