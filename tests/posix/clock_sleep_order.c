/* Sleepers by absolute time end in the order of their times
 * text:   each returns when the clock has reached its time, so that the clock read after the
 *         sleep is not before it
 * expect: exit 0
 */
#include "check.h"

static struct timespec base;

static void *user(void *arg)
{
    long ms = (long)arg;
    struct timespec t = base;
    t.tv_nsec += ms * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    int r;
    while ((r = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) == EINTR)
        ;
    IS(r, 0);
    TRUE(now_ns(CLOCK_MONOTONIC) >= t.tv_sec * 1000000000LL + t.tv_nsec);
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    OK(clock_gettime(CLOCK_MONOTONIC, &base));
    for (long i = 0; i < 4; i++)
        t[i] = start(user, (void *)(20 - i * 5));
    for (int i = 0; i < 4; i++)
        join(t[i]);
    TRUE(now_ns(CLOCK_MONOTONIC) >= base.tv_sec * 1000000000LL + base.tv_nsec + 20000000);
    return 0;
}
