/* A pool is topped up for buffers that were only on their way, again and again
 * cause:    what is used and what is free are two reads; a third step adds what seems to be missing
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails; at DEPTH 4 1775 of 30,000 of random, 1 of
 *           burst (odds.sh)
 * shape:    three threads, two variables; each time one taking more has to fall between two reads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 7 /* buffers too many */
#endif
enum { SIZE = 60, TAKEN = 16, LOOKS = 10 };
static atomic_int free_ones = SIZE, used, extra;

static void *taker(void *arg)
{
    for (int i = 0; i < TAKEN; i++) {
        atomic_fetch_sub(&free_ones, 1);
        atomic_fetch_add(&used, 1);
    }
    return arg;
}

static void *keeper(void *arg)
{
    for (int i = 0; i < LOOKS; i++) {
        int u = used, f = free_ones;
        if (u + f != SIZE - 1)
            continue;
        atomic_fetch_add(&free_ones, 1);
        atomic_fetch_add(&extra, 1);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {taker, keeper, taker};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(extra < DEPTH);
    return 0;
}
