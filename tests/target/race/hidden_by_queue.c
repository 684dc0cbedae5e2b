/* A job that is changed after it was queued, by a slow producer
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int job, is_queued, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&lock);
    is_queued = 1;
    pthread_mutex_unlock(&lock);
    job = 1; /* R1 */
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    pthread_mutex_lock(&lock);
    int is = is_queued;
    pthread_mutex_unlock(&lock);
    if (is)
        printf("%d\n", job); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
