/* Two leaders: the one who counts sees the second candidate one vote behind, always
 * cause:    two counters are read one after the other while both move
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; in each of DEPTH rounds the count falls between both votes
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 5
#endif
static atomic_int votes[2], counted;

static void *candidate(void *arg)
{
    int me = (int)(long)arg;
    for (int r = 1; r <= DEPTH; r++)
        votes[me] = r;
    return NULL;
}

static void *counting(void *arg)
{
    for (int r = 1; r <= DEPTH; r++) {
        int first = votes[0], second = votes[1];
        if (first != r || second != r - 1)
            break; /* a clear result */
        counted = r;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, candidate, (void *)0L);
    pthread_create(&t[1], NULL, candidate, (void *)1L);
    pthread_create(&t[2], NULL, counting, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(counted < DEPTH);
    return 0;
}
