/* Two observers note the same phases at the same places
 * cause:    a phase is noted and counted on by a load and a store; the clock goes on in between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads in loops; only after all have ended somebody looks: the notes of each pass
 *           have to be one apart, in DEPTH passes in a row
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 6
#endif
static atomic_int phase, note[2][DEPTH];

static void *observer(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < DEPTH; i++) {
        int seen = phase;
        note[me][i] = seen;
        phase = seen + 1;
    }
    return NULL;
}

static void *clock_hand(void *arg)
{
    for (int i = 1; i <= DEPTH; i++)
        phase = 7 * i;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, clock_hand, NULL);
    pthread_create(&t[1], NULL, observer, (void *)0L);
    pthread_create(&t[2], NULL, observer, (void *)1L);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    int n = 0;
    while (n < DEPTH && note[0][n] == 7 * n && note[1][n] == 7 * n + 1)
        n++;
    assert(n < DEPTH);
    return 0;
}
