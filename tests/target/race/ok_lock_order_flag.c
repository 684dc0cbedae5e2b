/* Two orders of two locks; who comes second knows that the first is through
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static int n;
static atomic_int turn;
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
    if (!atomic_exchange(&turn, 1)) {
        both(&a, &b);
        atomic_store(&turn, 2);
    }
    return arg;
}

static void *two(void *arg)
{
    if (atomic_load(&turn) == 2)
        both(&b, &a);
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", n > 0);
    return 0;
}
