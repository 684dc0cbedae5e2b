/* Two phases apart by a barrier
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static pthread_barrier_t barrier;
static int n;

static void *one(void *arg)
{
    n = 1;
    pthread_barrier_wait(&barrier);
    return arg;
}

static void *two(void *arg)
{
    pthread_barrier_wait(&barrier);
    printf("%d\n", n);
    return arg;
}

int main(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(one, two);
    return 0;
}
