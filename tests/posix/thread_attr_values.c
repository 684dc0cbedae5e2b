/* Thread attributes: defaults, values read back, EINVAL
 * text:   detach state, scope, inheritance, stack and guard sizes are kept; values
 *         outside of what is allowed are refused
 * expect: exit 0
 */
#include "check.h"
#include <limits.h>

int main(void)
{
    pthread_attr_t a;
    size_t size;
    int v;
    OK(pthread_attr_init(&a));
    OK(pthread_attr_getdetachstate(&a, &v));
    IS(v, PTHREAD_CREATE_JOINABLE);
    IS(pthread_attr_setdetachstate(&a, 55), EINVAL);
    OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
    OK(pthread_attr_getdetachstate(&a, &v));
    IS(v, PTHREAD_CREATE_DETACHED);
    IS(pthread_attr_setstacksize(&a, 100), EINVAL);
    OK(pthread_attr_setstacksize(&a, 256 * 1024));
    OK(pthread_attr_getstacksize(&a, &size));
    IS(size, 256 * 1024);
    OK(pthread_attr_getguardsize(&a, &size));
    IS(size, sysconf(_SC_PAGESIZE));
    OK(pthread_attr_setguardsize(&a, 0));
    OK(pthread_attr_getguardsize(&a, &size));
    IS(size, 0);
    OK(pthread_attr_getscope(&a, &v));
    IS(v, PTHREAD_SCOPE_SYSTEM);
    IS(pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS), ENOTSUP);
    IS(pthread_attr_setscope(&a, 99), EINVAL);
    OK(pthread_attr_getinheritsched(&a, &v));
    IS(v, PTHREAD_INHERIT_SCHED);
    IS(pthread_attr_setinheritsched(&a, 99), EINVAL);
    IS(pthread_attr_setschedpolicy(&a, 99), EINVAL);
    OK(pthread_attr_destroy(&a));
    return 0;
}
