/* Five versions are built, tested and shipped, each in time for the next, and the fifth is wrong
 * cause:    nobody waits for anybody; whoever is late leaves the train
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails; of 50,000 random ones 5 at
 *           DEPTH 2, none at 3 (odds.sh)
 * shape:    three threads, five passes each, a chain of 14 orders; only variables tell how far it is
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 5
#endif
static atomic_int built, tested, shipped;

static void *builder(void *arg)
{
    for (int i = 1; i <= DEPTH; i++)
        if (shipped == i - 1)
            built = i;
    return arg;
}

static void *tester(void *arg)
{
    for (int i = 1; i <= DEPTH; i++)
        if (built == i)
            tested = i;
    return arg;
}

static void *shipper(void *arg)
{
    for (int i = 1; i <= DEPTH; i++)
        if (tested == i)
            shipped = i;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {builder, tester, shipper};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(shipped < DEPTH);
    return 0;
}
