/* A timer that calls a function beside a busy thread
 * cause:    none: the call comes in a thread of its own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int calls;
static void on_timer(union sigval v) { atomic_fetch_add(&calls, v.sival_int); }

static void *busy(void *arg)
{
    while (atomic_load(&calls) < 3)
        ;
    return arg;
}

int main(void)
{
    pthread_t t;
    timer_t timer;
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_timer};
    struct itimerspec every = {{0, 30000000}, {0, 30000000}};
    ev.sigev_value.sival_int = 1;
    if (timer_create(CLOCK_MONOTONIC, &ev, &timer))
        return 1;
    pthread_create(&t, NULL, busy, NULL);
    timer_settime(timer, 0, &every, NULL);
    pthread_join(t, NULL);
    timer_delete(timer);
    return 0;
}
