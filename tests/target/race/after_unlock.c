/* Used once more behind the unlock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    printf("n %d\n", n); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&lock);
    n = 7; /* R2 */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
