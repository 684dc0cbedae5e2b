/* A latch and a semaphore of C++20 hand data over, a barrier separates phases
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>

static int data[2], sum[2];
static std::latch ready(1);
static std::binary_semaphore done(0);
static std::barrier phase(2);

static void both(int me)
{
    data[me] += 1;
    phase.arrive_and_wait();
    sum[me] = data[0] + data[1];
    phase.arrive_and_wait();
    data[me] = 0;
}

int main()
{
    std::thread a([] {
        data[0] = 3;
        ready.count_down();
        done.acquire();
        both(0);
    });
    std::thread b([] {
        ready.wait();
        data[1] = data[0];
        done.release();
        both(1);
    });
    a.join();
    b.join();
    return sum[0] != 8;
}
