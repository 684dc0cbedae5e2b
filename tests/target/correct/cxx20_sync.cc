/* C++20: jthread, stop_token, latch, barrier and semaphore
 * cause:    none: each used as it is meant
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <stop_token>
#include <thread>

static std::latch started{2};
static std::barrier phase{2};
static std::counting_semaphore<4> permits{1};
static int cell[2], used;

static void worker(int me)
{
    started.count_down();
    cell[me] = me + 1;
    phase.arrive_and_wait();
    int sum = cell[0] + cell[1];
    assert(sum == 3);
    while (!permits.try_acquire()) /* acquire() of libstdc++ 12 can sleep for ever, see README */
        std::this_thread::yield();
    used++;
    permits.release();
}

int main()
{
    std::jthread idle([](std::stop_token stop) {
        while (!stop.stop_requested())
            std::this_thread::yield();
    });
    {
        std::jthread a(worker, 0), b(worker, 1);
        started.wait();
    }
    idle.request_stop();
    idle.join();
    assert(used == 2);
}
