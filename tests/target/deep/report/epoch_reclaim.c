/* A block is freed under a reader that slept through many epochs
 * cause:    an epoch moves on when all readers were seen in it, not when they are
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   of 200,000 random walks 102 fail at DEPTH 6, 4 at 10, none of pos and burst (odds.sh);
 *           so 1 in 200,000 at 12
 * shape:    three threads; the epoch has to move on twelve times within one pass of a reader
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 12 /* epochs */
#endif
enum { READS = DEPTH + 2, GRACE = DEPTH };
static atomic_int epoch, seen, retired, is_freed, is_inside;

static void *reader(void *arg)
{
    for (int i = 0; i < READS; i++) {
        int e = epoch;
        seen = e;
        is_inside = 1;
        assert(!is_freed);
        is_inside = 0;
    }
    return arg;
}

/* Moves on if it finds the reader in this epoch. */
static void *reclaimer(void *arg)
{
    for (int i = 0; i < DEPTH + 3; i++) {
        int e = epoch;
        if (seen == e)
            epoch = e + 1;
        if (retired && epoch >= retired + GRACE)
            is_freed = 1;
    }
    return arg;
}

static void *updater(void *arg)
{
    if (is_inside)
        retired = epoch + 1;
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, reclaimer, NULL);
    pthread_create(&t[2], NULL, updater, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
