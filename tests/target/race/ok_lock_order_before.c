/* Two orders of two locks, one of them before the other thread is there
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    n++;
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *one(void *arg)
{
    both(&a, &b);
    return arg;
}

int main(void)
{
    both(&b, &a);
    run_both(one, one);
    both(&b, &a);
    printf("%d\n", n);
    return 0;
}
