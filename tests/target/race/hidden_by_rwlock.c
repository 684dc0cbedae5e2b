/* Both read-lock a lock that another section writes: in most runs the write section of the
 * first comes before the read section of the second
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int n, other;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
    n = 1; /* R1 */
    pthread_rwlock_wrlock(&lock);
    other++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    pthread_rwlock_rdlock(&lock);
    int seen = other;
    pthread_rwlock_unlock(&lock);
    printf("%d %d\n", n, seen >= 0); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
