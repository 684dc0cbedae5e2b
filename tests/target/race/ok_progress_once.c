/* A monitor shows the state of one job: begun, then done, each set in a section of its own
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
    const char *state = done ? "done" : begun ? "running" : "waiting";
    pthread_mutex_unlock(&lock);
    puts(state);
    return arg;
}

int main(void)
{
    run_both(worker, monitor);
    return 0;
}
