/* Two customers are served by one ticket: the counter was wound back under both
 * cause:    a ticket is drawn by a load and a store; the machine is reset in between, in three passes
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh); of random
 *           9 in 300,000 at DEPTH 3
 * shape:    three threads in loops; equal tickets in DEPTH passes in a row, each pass of one thread
 *           paired with the same pass of the other
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 5
#endif
static atomic_int next_ticket, drawn[2][DEPTH];

static void *customer(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < DEPTH; i++) {
        int mine = next_ticket;
        drawn[me][i] = mine;
        next_ticket = mine + 1;
    }
    return NULL;
}

static void *reset(void *arg)
{
    for (int i = 0; i < DEPTH; i++)
        next_ticket = 10 * (i + 1);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, customer, (void *)0L);
    pthread_create(&t[1], NULL, customer, (void *)1L);
    pthread_create(&t[2], NULL, reset, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int equal = 0;
    while (equal < DEPTH && drawn[0][equal] == 10 * equal && drawn[1][equal] == 10 * equal)
        equal++;
    assert(equal < DEPTH);
    return 0;
}
