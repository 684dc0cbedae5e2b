/* sem_timedwait: ETIMEDOUT after the time, EINVAL only where it would wait
 * text:   the absolute time is on CLOCK_REALTIME; its check may be left out if the
 *         semaphore can be had at once
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

int main(void)
{
    sem_t s;
    struct timespec bad = {1, 1000000000}, low = {1, -1}, past = {1, 0};
    OK(sem_init(&s, 0, 1));
    OK(sem_timedwait(&s, &past));
    FAILS(sem_timedwait(&s, &past), ETIMEDOUT);
    FAILS(sem_timedwait(&s, &bad), EINVAL);
    FAILS(sem_timedwait(&s, &low), EINVAL);
    long long begin = now_ns(CLOCK_REALTIME);
    struct timespec t = in_ms(CLOCK_REALTIME, 15);
    FAILS(sem_timedwait(&s, &t), ETIMEDOUT);
    TRUE(now_ns(CLOCK_REALTIME) - begin >= 15000000);
    return 0;
}
