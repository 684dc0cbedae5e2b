/* "Done" is said before the destructor of a thread-local object adds its share
 * build:    g++ -std=c++20 -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <cstdio>
#include <latch>
#include <thread>
int total;
std::latch done(1);
struct share {
    int n = 0;
    ~share() { total += n; } /* R1 */
};
thread_local share mine;
int main()
{
    std::thread t([] {
        mine.n = 4;
        done.count_down();
    });
    done.wait();
    std::printf("%d\n", total); /* R2 */
    t.join();
}
