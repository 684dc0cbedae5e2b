/* RLIMIT_AS: allocations fail with ENOMEM instead of the process
 * text:   malloc gives NULL and ENOMEM when the limit is met; small ones may still work
 * expect: exit 0
 */
#include "check.h"
#include <sys/resource.h>

int main(void)
{
    pid_t child = fork();
    if (child == 0) {
        struct rlimit r = {1 << 20, RLIM_INFINITY};
        OK(setrlimit(RLIMIT_AS, &r)); /* less than what is mapped: nothing more can be had */
        void *p = NULL;
        errno = 0;
        TRUE((p = malloc(1 << 28)) == NULL);
        IS(errno, ENOMEM);
        errno = 0;
        TRUE((p = calloc(1 << 14, 1 << 14)) == NULL);
        IS(errno, ENOMEM);
        _exit(0);
    }
    IS(reap(child), 0);
    return 0;
}
