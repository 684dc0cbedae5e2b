/* A condition on the monotonic clock
 * cause:    none: a timed wait ends at or after its time, on its own clock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;

static void *busy(void *arg)
{
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    pthread_condattr_t a;
    pthread_t t;
    struct timespec until, now;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(&c, &a);
    pthread_create(&t, NULL, busy, NULL);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 2;
    pthread_mutex_lock(&m);
    while (pthread_cond_timedwait(&c, &m, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&m);
    clock_gettime(CLOCK_MONOTONIC, &now);
    assert(now.tv_sec > until.tv_sec ||
           (now.tv_sec == until.tv_sec && now.tv_nsec >= until.tv_nsec));
    pthread_join(t, NULL);
    return 0;
}
