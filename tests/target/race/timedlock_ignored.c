/* The result of pthread_mutex_timedlock() is not looked at
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state, out;

static void *slow(void *arg)
{
    pthread_mutex_lock(&m);
    usleep(20000);
    state = 1; /* R1 */
    pthread_mutex_unlock(&m);
    return arg;
}

static void *hasty(void *arg)
{
    struct timespec when;
    clock_gettime(CLOCK_REALTIME, &when);
    when.tv_nsec += 1000000;
    if (when.tv_nsec >= 1000000000)
        when.tv_sec++, when.tv_nsec -= 1000000000;
    int e = pthread_mutex_timedlock(&m, &when);
    out = state; /* R2 */
    if (!e)
        pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    run_both(slow, hasty);
    printf("%d\n", out);
    return 0;
}
