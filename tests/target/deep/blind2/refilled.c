/* A limiter lets through twice what it may: refills are counted that were seen before
 * cause:    tokens and the time of the last refill are two atomics; who refills reads one, then writes both
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails; of 20,000 of random 101 at DEPTH 3, 5 at 4
 *           (odds.sh)
 * shape:    three threads; a chain of refills by two threads for one tick, tick after tick, with the clock
 *           in between
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 6 /* refills too many */
#endif
enum { TICKS = DEPTH, TRIES = 2 * DEPTH + 2 };
static atomic_int now, refilled_at, tokens;

static void *clock_hand(void *arg)
{
    for (int i = 1; i <= TICKS; i++)
        now = i;
    return arg;
}

static void *user(void *arg)
{
    for (int i = 0; i < TRIES; i++) {
        int n = now, r = refilled_at;
        if (n != r + 1)
            continue;
        atomic_fetch_add(&tokens, 1);
        refilled_at = n;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {user, clock_hand, user};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(tokens < 2 * DEPTH);
    return 0;
}
