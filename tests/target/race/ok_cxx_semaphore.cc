/* std::counting_semaphore: slots and items of a ring of plain values
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<2> slots(2);
static std::counting_semaphore<2> items(0);
static int ring[2];

int main()
{
    int sum = 0;
    std::jthread producer([] {
        for (int i = 0; i < 5; i++) {
            slots.acquire();
            ring[i & 1] = i;
            items.release();
        }
    });
    for (int i = 0; i < 5; i++) {
        while (!items.try_acquire_for(std::chrono::milliseconds(2)))
            ;
        sum += ring[i & 1];
        slots.release();
    }
    producer.join();
    return sum != 10;
}
