/* A monitor tells a job that is done from one that is not: begun and done are set in sections of their own
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int begun, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    begun = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *monitor(void *arg)
{
    pthread_mutex_lock(&lock);
    int is_busy = !done, was_begun = begun;
    pthread_mutex_unlock(&lock);
    puts(is_busy && was_begun < 2 ? "not done" : "done");
    return arg;
}

int main(void)
{
    run_both(worker, monitor);
    return 0;
}
