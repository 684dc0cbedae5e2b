/* sysconf and limits: values that must be there
 * text:   the limits of threads and signals are at least the minimum of POSIX; unknown names are EINVAL
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>

int main(void)
{
    TRUE(sysconf(_SC_PAGESIZE) >= 4096);
    TRUE(sysconf(_SC_THREADS) > 0);
    IS(sysconf(_SC_THREAD_DESTRUCTOR_ITERATIONS), PTHREAD_DESTRUCTOR_ITERATIONS);
    IS(sysconf(_SC_THREAD_KEYS_MAX), PTHREAD_KEYS_MAX);
    TRUE(sysconf(_SC_SEM_VALUE_MAX) >= 32767);
    TRUE(sysconf(_SC_RTSIG_MAX) >= 8);
    TRUE(sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    TRUE(sysconf(_SC_CLK_TCK) > 0);
    FAILS(sysconf(12345), EINVAL);
    return 0;
}
