/* Measuring does not make others time out
 * cause:    none: a thousand looks at the clock are no minute
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
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int is_done;

static void *measure(void *arg)
{
    struct timespec a, b;
    volatile long x = 0;
    for (int i = 0; i < 1000; i++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        x += i;
        clock_gettime(CLOCK_MONOTONIC, &b);
        assert(b.tv_sec > a.tv_sec || (b.tv_sec == a.tv_sec && b.tv_nsec >= a.tv_nsec));
    }
    pthread_mutex_lock(&m);
    is_done = 1;
    pthread_cond_signal(&done);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    pthread_create(&t, NULL, measure, NULL);
    pthread_mutex_lock(&m);
    int err = 0;
    while (!is_done && !err)
        err = pthread_cond_timedwait(&done, &m, &until);
    assert(is_done);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
