/* A child's clocks go on from its parent's
 * text:   clocks belong to the system: a child reads at least what its parent read before
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    long long *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TRUE(shared != MAP_FAILED);
    usleep(20000);
    shared[0] = now_ns(CLOCK_MONOTONIC);
    shared[1] = now_ns(CLOCK_REALTIME);
    pid_t child = fork();
    if (child == 0) {
        long long m = now_ns(CLOCK_MONOTONIC), r = now_ns(CLOCK_REALTIME);
        TRUE(m >= shared[0]);
        TRUE(r >= shared[1]);
        usleep(1000);
        shared[2] = now_ns(CLOCK_MONOTONIC);
        TRUE(shared[2] - m >= 1000000);
        _exit(0);
    }
    IS(reap(child), 0);
    TRUE(now_ns(CLOCK_MONOTONIC) >= shared[2]);
    return 0;
}
