/* Affinity of a thread: set, read, EINVAL for no processor
 * text:   a mask that holds no processor of the system is EINVAL; the mask set is the one read
 * expect: exit 0
 */
#include "check.h"
#include <sched.h>

static cpu_set_t one;

static void *user(void *arg)
{
    cpu_set_t now;
    OK(pthread_getaffinity_np(pthread_self(), sizeof now, &now));
    TRUE(CPU_EQUAL(&now, &one));
    TRUE(sched_getaffinity(0, sizeof now, &now) >= 0);
    return NULL;
}

int main(void)
{
    cpu_set_t all, none;
    pthread_attr_t a;
    pthread_t t;
    OK(pthread_getaffinity_np(pthread_self(), sizeof all, &all));
    TRUE(CPU_COUNT(&all) >= 1);
    CPU_ZERO(&none);
    IS(pthread_setaffinity_np(pthread_self(), sizeof none, &none), EINVAL);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    OK(pthread_attr_init(&a));
    OK(pthread_attr_setaffinity_np(&a, sizeof one, &one));
    OK(pthread_create(&t, &a, user, NULL));
    join(t);
    OK(pthread_setaffinity_np(pthread_self(), sizeof one, &one));
    join(start(user, NULL)); /* inherited */
    FAILS(sched_setaffinity(0, sizeof none, &none), EINVAL);
    return 0;
}
