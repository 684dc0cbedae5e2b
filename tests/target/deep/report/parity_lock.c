/* A filter over several samples is fooled: all of them were torn
 * cause:    the sequence lock has one bit, so a whole write between two looks is not noticed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    two threads; DEPTH times in a row a whole write falls between two reads
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 4
#endif
static atomic_int is_busy, left, right, torn;

static void *writer(void *arg)
{
    for (int i = 1; i <= 2 * DEPTH; i++) {
        is_busy = 1;
        left = i;
        right = i;
        is_busy = 0;
    }
    return arg;
}

static void *filter(void *arg)
{
    for (int i = 0; i < 2 * DEPTH; i++) {
        int busy = is_busy, a = left, b = right;
        if (busy || is_busy)
            torn = 0; /* noticed: another sample */
        else if (a == b)
            torn = 0;
        else
            torn = torn + 1;
        if (torn == DEPTH)
            assert(!"every sample of the filter was torn");
    }
    return arg;
}

int main(void)
{
    pthread_t w, f;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&f, NULL, filter, NULL);
    pthread_join(w, NULL);
    pthread_join(f, NULL);
    return 0;
}
