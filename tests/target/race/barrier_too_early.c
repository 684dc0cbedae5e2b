/* Written behind the barrier, read behind it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static pthread_barrier_t barrier;
static int n;

static void *one(void *arg)
{
    pthread_barrier_wait(&barrier);
    n = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    pthread_barrier_wait(&barrier);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(one, two);
    return 0;
}
