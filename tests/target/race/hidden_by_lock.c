/* A lock taken for something else orders the two in most runs
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int n, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    n = 1; /* R1 */
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    pthread_mutex_lock(&lock);
    calls++;
    pthread_mutex_unlock(&lock);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
