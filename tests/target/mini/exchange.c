/* Two exchanges: each gets what was there before
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   2
 * finals:   0 1 2 | 2 0 1
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;
static int r, s;

static void *first(void *arg)
{
    r = atomic_exchange(&x, 1);
    return arg;
}

static void *second(void *arg)
{
    s = atomic_exchange(&x, 2);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d %d\n", r, s, x);
    return 0;
}
