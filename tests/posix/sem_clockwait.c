/* sem_clockwait: time by the clock given, EINVAL for others
 * text:   as timedwait, measured on realtime or monotonic clock
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t s;

static void *poster(void *arg)
{
    OK(sem_post(&s));
    return NULL;
}

int main(void)
{
    OK(sem_init(&s, 0, 0));
    long long begin = now_ns(CLOCK_MONOTONIC);
    struct timespec t = in_ms(CLOCK_MONOTONIC, 10);
    FAILS(sem_clockwait(&s, CLOCK_MONOTONIC, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_MONOTONIC) - begin >= 10000000);
    FAILS(sem_clockwait(&s, CLOCK_PROCESS_CPUTIME_ID, &t), EINVAL);
    pthread_t p = start(poster, NULL);
    t = in_ms(CLOCK_MONOTONIC, 3600000);
    OK(sem_clockwait(&s, CLOCK_MONOTONIC, &t));
    join(p);
    return 0;
}
