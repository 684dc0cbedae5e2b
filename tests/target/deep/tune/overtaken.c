/* A job that was overtaken five times is dropped as lost
 * cause:    the queue counts who overtook a job, not how long it waited
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; five overtakings in a row of one job, each by both of the others
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 5 /* times in a row */
#endif
enum { JOBS = 2 * DEPTH };
static atomic_int slow_at, fast_at, other_at, patience, is_lost;

static void *slow(void *arg)
{
    for (int i = 1; i <= JOBS; i++) {
        int f = fast_at, o = other_at;
        slow_at = i;
        if (fast_at != f + 1 || other_at != o + 1) {
            patience = 0; /* one of them is no faster */
            continue;
        }
        patience = patience + 1;
        if (patience == DEPTH)
            is_lost = 1;
    }
    return arg;
}

static void *fast(void *arg)
{
    for (int i = 1; i <= JOBS; i++)
        fast_at = i;
    return arg;
}

static void *other(void *arg)
{
    for (int i = 1; i <= JOBS; i++)
        other_at = i;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, slow, NULL);
    pthread_create(&t[1], NULL, fast, NULL);
    pthread_create(&t[2], NULL, other, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_lost);
    return 0;
}
