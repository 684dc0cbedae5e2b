/* The last job of a deque is taken by its owner and by a thief, round after round
 * cause:    owner and thief agree on the last job by two loads in the wrong order
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh); of random
 *           5 in 300,000 at DEPTH 6
 * shape:    two thieves and an owner; in DEPTH rounds the owner and a thief take the same job, and a
 *           second thief has to look in between
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 8
#endif
enum { ROUNDS = 2 * DEPTH };
static atomic_int top, bottom, done[ROUNDS + 1], seen_by;
static atomic_int twice;

static void did(int job)
{
    if (done[job] == 1 && seen_by == job)
        twice = twice + 1;
    done[job] = 1;
}

static void *owner(void *arg)
{
    for (int i = 1; i <= ROUNDS; i++) {
        bottom = i; /* one job */
        int b = bottom, t = top;
        if (t < b)
            did(b);
        top = b;
    }
    return arg;
}

static void *thief(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        int t = top, b = bottom;
        if (t < b) {
            did(b);
            top = b;
        }
    }
    return arg;
}

static void *watcher(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        seen_by = bottom;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {owner, thief, watcher};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(twice < DEPTH);
    return 0;
}
