// C++20: std::atomic::wait, latch, barrier, counting_semaphore.
#include "check.h"

#include <atomic>
#include <barrier>
#include <chrono>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

int main()
{
    std::atomic<int> turn{0};
    std::atomic<long long> wide{0}; // waits through a proxy
    std::thread other([&] {
        for (int i = 0; i < 10; i++) {
            turn.wait(2 * i);
            turn.store(2 * i + 2);
            turn.notify_one();
        }
        wide.store(1);
        wide.notify_all();
    });
    for (int i = 0; i < 10; i++) {
        turn.store(2 * i + 1);
        turn.notify_one();
        turn.wait(2 * i + 1);
    }
    wide.wait(0);
    IS(wide.load(), 1);
    other.join();
    IS(turn.load(), 20);

    std::latch latch(3);
    std::barrier barrier(3);
    std::counting_semaphore<4> sem(0);
    std::atomic<int> arrived{0}, rounds{0};
    std::vector<std::thread> t;
    for (int i = 0; i < 3; i++)
        t.emplace_back([&] {
            arrived++;
            latch.arrive_and_wait();
            IS(arrived.load(), 3);
            for (int j = 1; j <= 3; j++) {
                rounds++;
                barrier.arrive_and_wait();
                IS(rounds.load(), 3 * j);
                barrier.arrive_and_wait();
            }
            sem.release();
        });
    for (int i = 0; i < 3; i++)
        sem.acquire();
    CHECK(!sem.try_acquire());
    CHECK(!sem.try_acquire_for(std::chrono::milliseconds(3)));
    for (auto &x : t)
        x.join();
    return 0;
}
