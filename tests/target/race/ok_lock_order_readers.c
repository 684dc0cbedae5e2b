/* Two orders of two locks that are only read under
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = PTHREAD_RWLOCK_INITIALIZER;
static int of_a = 1, of_b = 2;

static int sum(pthread_rwlock_t *first, pthread_rwlock_t *second)
{
    pthread_rwlock_rdlock(first);
    pthread_rwlock_rdlock(second);
    int n = of_a + of_b;
    pthread_rwlock_unlock(second);
    pthread_rwlock_unlock(first);
    return n;
}

static void *one(void *arg)
{
    return sum(&a, &b) == 3 ? arg : NULL;
}

static void *two(void *arg)
{
    return sum(&b, &a) == 3 ? arg : NULL;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
