/* A token goes round backwards, eighteen steps in a row
 * cause:    three stations take a token from one another with sem_trywait and pass it on without looking
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads and three semaphores; each step of the chain needs another thread to come next,
 *           any other order sets it back
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 18 /* steps backwards */
#endif
enum { STATIONS = 3, TRIES = 20 };
static sem_t token[STATIONS];
static atomic_int last = 0, backwards, is_round;

static void *station(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < TRIES; i++) {
        if (sem_trywait(&token[me]))
            continue;
        int from = last;
        last = me;
        int n = (from + STATIONS - 1) % STATIONS == me ? backwards + 1 : 0;
        backwards = n;
        if (n == DEPTH)
            is_round = 1;
        sem_post(&token[(me + 1 + i % 2) % STATIONS]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[STATIONS];
    for (int i = 0; i < STATIONS; i++)
        sem_init(&token[i], 0, 1);
    for (long i = 0; i < STATIONS; i++)
        pthread_create(&t[i], NULL, station, (void *)i);
    for (int i = 0; i < STATIONS; i++)
        pthread_join(t[i], NULL);
    assert(!is_round);
    return 0;
}
