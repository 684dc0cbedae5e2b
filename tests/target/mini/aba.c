/* A word that changes and changes back; `won` tells whether the exchange noticed
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   5
 * finals:   0 0 0 | 0 1 0 | 1 0 0 | 1 0 5 | 1 1 0
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int x;
static int seen, won;

static void *taker(void *arg)
{
    int old = atomic_load(&x);
    seen = old;
    won = atomic_compare_exchange_strong(&x, &old, 5);
    return arg;
}

static void *changer(void *arg)
{
    atomic_store(&x, 1);
    atomic_store(&x, 0);
    return arg;
}

int main(void)
{
    pthread_t t1, t2;
    pthread_create(&t1, NULL, taker, NULL);
    pthread_create(&t2, NULL, changer, NULL);
    pthread_join(t1, NULL);
    pthread_join(t2, NULL);
    printf("%d %d %d\n", won, seen, x);
    return 0;
}
