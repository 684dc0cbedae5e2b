/* A monitor prints how many jobs were started and how many finished: each counter has a section of its own
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int started, finished;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        started++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
        finished++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *monitor(void *arg)
{
    pthread_mutex_lock(&lock);
    int s = started, f = finished;
    pthread_mutex_unlock(&lock);
    printf("started %d, finished %d\n", s, f);
    return arg;
}

int main(void)
{
    run_both(worker, monitor);
    return 0;
}
