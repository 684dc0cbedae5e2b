/* A parallel compressor with the two bugs of pbzip2
 * cause:    "early": main takes the queue away while consumers still use it;
 *           "late": a consumer sets the size of a block after it has announced the block
 * build:    gcc -g -O1 -fsanitize=thread
 * args:     early
 * expect:   exit
 *
 * One producer (main), consumers that compress blocks from a queue, one writer that waits for
 * them in order.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CONSUMERS = 4, BLOCKS = 4 };
struct queue {
    int next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct queue *_Atomic queue;
static struct { atomic_int is_there, size; } out[BLOCKS];
static atomic_int is_broken;

static void *consume(void *arg)
{
    for (;;) {
        struct queue *q = queue;
        if (!q) { /* as a crash would be: the queue is gone */
            is_broken = 1;
            return arg;
        }
        pthread_mutex_lock(&lock);
        int block = q->next < BLOCKS ? q->next++ : -1;
        pthread_mutex_unlock(&lock);
        if (block < 0)
            return arg;
        if (arg) { /* BUG of the second kind */
            out[block].is_there = 1;
            out[block].size = 10;
        } else {
            out[block].size = 10;
            out[block].is_there = 1;
        }
    }
}

static void *write_blocks(void *arg)
{
    for (int i = 0; i < BLOCKS; i++)
        if (out[i].is_there && !out[i].size)
            is_broken = 1;
    return arg;
}

int main(int argc, char **argv)
{
    static struct queue q;
    int is_late = argc > 1 && !strcmp(argv[1], "late");
    pthread_t t[CONSUMERS], w;
    queue = &q;
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&t[i], NULL, consume, is_late ? &q : NULL);
    pthread_create(&w, NULL, write_blocks, NULL);
    if (!is_late)
        queue = NULL; /* BUG of the first kind: nobody was waited for */
    for (int i = 0; i < CONSUMERS; i++)
        pthread_join(t[i], NULL);
    pthread_join(w, NULL);
    return is_broken;
}
