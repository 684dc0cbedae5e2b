/* Readers that become writers work on what another one has changed since
 * cause:    the read lock is released before the write lock is taken, and nobody looks again
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads and a rwlock; the generation has to be promoted from the same value by all three,
 *           DEPTH times in a row
 */
#include <assert.h>
#include <pthread.h>

#ifndef DEPTH
#define DEPTH 4
#endif
enum { ROUNDS = DEPTH + 2 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int generation, same, streak, is_corrupt;

static void *worker(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_rwlock_rdlock(&lock);
        int g = generation;
        pthread_rwlock_unlock(&lock);
        pthread_rwlock_wrlock(&lock);
        if (generation == g + 1) {
            if (++same == 2) { /* the third of the same generation */
                same = 0;
                if (++streak == DEPTH)
                    is_corrupt = 1;
            }
        } else if (generation == g) {
            if (same)
                streak = 0;
            same = 0;
            generation = g + 1;
        } else {
            streak = 0;
        }
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_corrupt);
    return 0;
}
