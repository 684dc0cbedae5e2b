/* Relaxed statistics beside data under a lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static _Atomic int calls;
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", n);
    return 0;
}
