/* Three tickets drawn from an atomic counter: every order of three
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   6
 * finals:   0 1 2 | 0 2 1 | 1 0 2 | 1 2 0 | 2 0 1 | 2 1 0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;
static int r, s, u;

static void *first(void *arg)
{
    r = atomic_fetch_add(&x, 1);
    return arg;
}

static void *second(void *arg)
{
    s = atomic_fetch_add(&x, 1);
    return arg;
}

static void *third(void *arg)
{
    u = atomic_fetch_add(&x, 1);
    return arg;
}

int main(void)
{
    pthread_t t1, t2, t3;
    pthread_create(&t1, NULL, first, NULL);
    pthread_create(&t2, NULL, second, NULL);
    pthread_create(&t3, NULL, third, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    pthread_join(t3, NULL);
    printf("%d %d %d\n", r, s, u);
    return 0;
}
