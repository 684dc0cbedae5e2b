/* A join orders two threads, a third is free
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   1 1 | 1 3 | 3 3
 */
#include <pthread.h>
#include <stdio.h>

static volatile int x, r;

static void *first(void *arg)
{
    x = 1;
    return arg;
}

static void *second(void *arg)
{
    r = x;
    return arg;
}

static void *third(void *arg)
{
    x = 3;
    return arg;
}

int main(void)
{
    pthread_t f, s, t;
    pthread_create(&t, NULL, third, NULL);
    pthread_create(&f, NULL, first, NULL);
    pthread_join(f, NULL);
    pthread_create(&s, NULL, second, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    printf("%d %d\n", r, x);
    return 0;
}
