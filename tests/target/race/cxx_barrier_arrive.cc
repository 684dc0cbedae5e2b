/* One side arrives at the barrier and does not wait
 * build:    g++ -std=c++20 -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <barrier>
#include <cstdio>
#include <thread>
std::barrier<> phase(2);
int parts[2];
int main()
{
    std::thread a([] {
        parts[0] = 1;
        (void)phase.arrive();
        std::printf("%d\n", parts[1]); /* R1 */
    });
    std::thread b([] {
        parts[1] = 2; /* R2 */
        phase.arrive_and_wait();
    });
    a.join();
    b.join();
}
