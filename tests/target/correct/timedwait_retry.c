/* A timed wait that is tried again
 * cause:    none: the predicate is looked at after every return, timeout or not
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
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_ready, timeouts;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&m);
    while (!is_ready) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 1000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        int err = pthread_cond_timedwait(&changed, &m, &until);
        assert(err == 0 || err == ETIMEDOUT);
        timeouts += err == ETIMEDOUT;
    }
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct timespec nap = {0, 3000000};
    pthread_create(&t, NULL, waiter, NULL);
    nanosleep(&nap, NULL);
    pthread_mutex_lock(&m);
    is_ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
