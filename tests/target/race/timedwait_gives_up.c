/* The wait times out and the answer is read all the same
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready, answer;
static void *compute(void *arg)
{
    answer = 42; /* R1 */
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, compute, NULL);
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec += 1000000;
    if (ts.tv_nsec >= 1000000000)
        ts.tv_sec++, ts.tv_nsec -= 1000000000;
    pthread_mutex_lock(&m);
    while (!ready)
        if (pthread_cond_timedwait(&c, &m, &ts) == ETIMEDOUT)
            break;
    pthread_mutex_unlock(&m);
    printf("%d\n", answer); /* R2 */
    pthread_join(t, NULL);
    return 0;
}
