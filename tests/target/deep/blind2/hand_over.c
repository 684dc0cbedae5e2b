/* Three guards hand over a key in a circle, each before the one before him has signed
 * cause:    who has the key and who signed for it are written one after the other
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three-party orders: A writes, B overwrites, C reads both between the two writes of each; fourteen
 *           such orders, each taking part in the next
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 14 /* hand-overs in a row without a signature */
#endif
enum { GUARDS = 3, TURNS = DEPTH };
static atomic_int has_key, signed_by, unsigned_ones, is_lost;

static void *guard(void *arg)
{
    int me = (int)(long)arg, next = (me + 1) % GUARDS;
    for (int i = 0; i < TURNS; i++) {
        if (has_key != me)
            continue;
        int s = signed_by;
        has_key = next;
        if (s == me)
            unsigned_ones = 0;
        else if (atomic_fetch_add(&unsigned_ones, 1) == DEPTH - 1)
            is_lost = 1;
        signed_by = next;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[GUARDS];
    for (long i = 0; i < GUARDS; i++)
        pthread_create(&t[i], NULL, guard, (void *)i);
    for (int i = 0; i < GUARDS; i++)
        pthread_join(t[i], NULL);
    assert(!is_lost);
    return 0;
}
