/* std::latch is counted down before the result is written
 * build:    g++ -std=c++20 -g -O2 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <cstdio>
#include <latch>
#include <thread>

static int result[2];

int main()
{
    std::latch done(2);
    auto work = [&](int i) {
        done.count_down();
        result[i] = i + 1; /* R1 */
    };
    std::thread a(work, 0), b(work, 1);
    done.wait();
    int sum = result[0] + result[1]; /* R2 */
    a.join(), b.join();
    std::printf("%d\n", sum);
}
