/* std::latch, std::barrier and std::counting_semaphore
 * cause:    none: each phase ends when all have arrived
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main()
{
    int phases = 0, sum[3] = {};
    std::latch ready(3);
    std::counting_semaphore<2> places(2);
    std::barrier phase(3, [&]() noexcept { phases++; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            ready.arrive_and_wait();
            for (int k = 0; k < 2; k++) {
                while (!places.try_acquire()) /* not acquire(), see README */
                    std::this_thread::yield();
                sum[i]++;
                places.release();
                phase.arrive_and_wait();
            }
        });
    for (auto &t : threads)
        t.join();
    assert(phases == 2 && sum[0] + sum[1] + sum[2] == 6);
}
