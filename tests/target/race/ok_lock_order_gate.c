/* Two orders of two locks, under a third one that keeps them apart
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, a = PTHREAD_MUTEX_INITIALIZER,
                       b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    n++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
    pthread_mutex_unlock(&gate);
}

static void *one(void *arg)
{
    both(&a, &b);
    return arg;
}

static void *two(void *arg)
{
    both(&b, &a);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", n);
    return 0;
}
