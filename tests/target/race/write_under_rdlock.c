/* Written under a read lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include "threads.h"

static int n;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
    pthread_rwlock_rdlock(&lock);
    n = n + 1; /* R1 */
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("n %d\n", n);
    return 0;
}
