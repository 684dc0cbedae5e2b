/* An object that is revived again and again while it is being destroyed leaks in the end
 * cause:    the count goes from 0 to 1 behind the back of whoever saw it become 0
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; a release, a revival and a look at the count fall into each other DEPTH times
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 6
#endif
enum { PASSES = 2 * DEPTH };
static atomic_int refs = 1, is_dying, revived, blamed;

static void *owner(void *arg)
{
    for (int i = 0; i < PASSES; i++) {
        refs = 0;
        is_dying = 1;
        if (refs == 0) {
            is_dying = 0;
            refs = 1; /* nobody wanted it: again */
            continue;
        }
        is_dying = 0;
    }
    return arg;
}

static void *finder(void *arg)
{
    for (int i = 0; i < PASSES; i++)
        if (refs == 0 && is_dying) {
            refs = 2;
            revived = revived + 1;
        }
    return arg;
}

/* Trusts the object as long as it does not see it come back from the dead. */
static void *auditor(void *arg)
{
    int last = 0;
    for (int i = 0; i < PASSES; i++) {
        int r = revived;
        if (r == last + 1 && refs == 2)
            blamed = blamed + 1;
        last = r;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    void *(*who[3])(void *) = {owner, finder, auditor};
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, who[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(blamed < DEPTH);
    return 0;
}
