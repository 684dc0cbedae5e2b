/* Each side has a lock of its own
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static int n;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    n = 5; /* R1 */
    pthread_mutex_unlock(&a);
    return arg;
}

static void *two(void *arg)
{
    pthread_mutex_lock(&b);
    printf("n %d\n", n); /* R2 */
    pthread_mutex_unlock(&b);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
