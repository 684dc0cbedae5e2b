/* Written under the write lock, read under the read lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    n++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    printf("%d\n", n);
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
