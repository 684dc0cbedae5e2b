/* A condition with its predicate under the lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int is_ready, data;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static void *one(void *arg)
{
    data = 1;
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&cond, &lock);
    pthread_mutex_unlock(&lock);
    printf("%d\n", data);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
