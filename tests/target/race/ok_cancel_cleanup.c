/* A thread that is cancelled gives its lock up in a handler
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int total, is_ready;

static void give(void *arg)
{
    total = total + 1;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(give, NULL);
    while (!is_ready)
        pthread_cond_wait(&changed, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    pthread_cancel(t);
    pthread_mutex_lock(&lock);
    total = total + 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return total < 1;
}
