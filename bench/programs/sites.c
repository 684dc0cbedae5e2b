/* sites.c: two threads, each with 1000 places that write one variable: nearly every
 * switch of a run is an ordering that was never met before. For what a new element
 * costs, in memory and in the store. */
#include <pthread.h>
#include <stdio.h>

static volatile long x;

#define ONE x = __LINE__ + __COUNTER__;
#define TEN ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define THOUSAND                                                                                   \
    HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED

static void *left(void *arg)
{
    THOUSAND
    return arg;
}

static void *right(void *arg)
{
    THOUSAND
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, left, NULL);
    pthread_create(&t[1], NULL, right, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", x > 0);
    return 0;
}
