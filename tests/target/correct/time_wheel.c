/* A thread with a heap of timers, woken by pthread_cond_clockwait; timers are added and cancelled
 * cause:    none: the thread looks at all timers again whenever it wakes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>
struct timer {
    struct timespec at;
    int live, fired;
};
static struct timer timers[4];
static int n, stop;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec <= b.tv_nsec);
}
static void *wheel(void *arg)
{
    pthread_mutex_lock(&m);
    for (;;) {
        struct timer *next = NULL;
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        for (int i = 0; i < n; i++) {
            if (!timers[i].live)
                continue;
            if (before(timers[i].at, now)) {
                timers[i].live = 0;
                timers[i].fired = 1;
                pthread_cond_broadcast(&c);
                continue;
            }
            if (!next || before(timers[i].at, next->at))
                next = &timers[i];
        }
        if (stop && !next)
            break;
        if (next) {
            struct timespec at = next->at;
            pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &at);
        } else
            pthread_cond_wait(&c, &m);
    }
    pthread_mutex_unlock(&m);
    return arg;
}
static int add(int ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_nsec += ms * 1000000L;
    if (t.tv_nsec >= 1000000000)
        t.tv_sec++, t.tv_nsec -= 1000000000;
    pthread_mutex_lock(&m);
    int i = n++;
    timers[i] = (struct timer){t, 1, 0};
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    return i;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wheel, NULL);
    int a = add(5), b = add(2);
    pthread_mutex_lock(&m);
    while (!timers[b].fired)
        pthread_cond_wait(&c, &m);
    timers[a].live = 0;
    stop = 1;
    pthread_cond_broadcast(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
