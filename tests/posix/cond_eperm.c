/* Condition wait without the mutex: EPERM for error-checking ones
 * text:   wait and timedwait fail with EPERM if the mutex is error-checking and not owned by the caller
 * expect: exit 0
 */
#include "check.h"

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *other(void *arg)
{
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    IS(pthread_cond_wait(&c, &m), EPERM);
    IS(pthread_cond_timedwait(&c, &m, &t), EPERM);
    return NULL;
}

int main(void)
{
    join(start(other, NULL));
    OK(pthread_mutex_lock(&m));
    join(start(other, NULL));
    OK(pthread_mutex_unlock(&m));
    return 0;
}
