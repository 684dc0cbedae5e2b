/* A message is read from a block that was freed and given to somebody else, six times in a row
 * cause:    ABA with reuse: the reader checks that the mailbox has the same block, not the same message
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 100,000 walks each of random, pos and burst fails; of 20,000 of random 30 at DEPTH 2, 1 at 4
 *           (odds.sh)
 * shape:    three threads; a sender takes a block back and sends it again, with another one of the
 *           other sender in between, while a reader is between two looks
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 6 /* torn messages in a row */
#endif
enum { BLOCKS = 4, SENDS = 3 * DEPTH, READS = 2 * DEPTH };
static atomic_int is_used[BLOCKS], text[BLOCKS], box, torn, is_torn; /* box: block + 1, 0 = empty */

static int take(void)
{
    for (int i = 0; i < BLOCKS; i++)
        if (!atomic_exchange(&is_used[i], 1))
            return i;
    return -1;
}

static void *sender(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 1; i <= SENDS; i++) {
        int b = take();
        if (b < 0)
            continue;
        text[b] = me * 100 + i;
        int old = atomic_exchange(&box, b + 1);
        if (old)
            is_used[old - 1] = 0;
    }
    return NULL;
}

static void *reader(void *arg)
{
    for (int i = 0; i < READS; i++) {
        int b = box;
        if (!b)
            continue;
        int first = text[b - 1];
        int second = text[b - 1];
        if (box != b)
            continue;
        int n = first / 100 != second / 100 ? torn + 1 : 0;
        torn = n;
        if (n == DEPTH)
            is_torn = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, sender, (void *)1L);
    pthread_create(&t[1], NULL, sender, (void *)2L);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_torn);
    return 0;
}
