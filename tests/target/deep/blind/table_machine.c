/* A protocol that is driven by a table reaches the state its authors called impossible
 * cause:    three parties step one machine; the state is read and written in sections of their own
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   1 of 200,000 random walks fails, none of as many of pos and burst (odds.sh)
 * shape:    three threads that run the same loop; a chain of DEPTH orders that only values tell
 *           apart: no line is executed for the first time on the way
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 14
#endif
enum { STEPS = DEPTH };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;
static const int turn[] = {0, 2, 1, 1, 0, 2, 0, 1, 2, 2, 0, 1, 1, 2};

static void *party(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < STEPS; i++) {
        pthread_mutex_lock(&lock);
        if (state < DEPTH)
            state = turn[state] == me ? state + 1 : 0;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, party, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(state < DEPTH);
    return 0;
}
