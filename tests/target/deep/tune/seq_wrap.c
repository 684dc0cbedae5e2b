/* A reader takes a mixture of two records for one, again and again
 * cause:    the sequence number of the records has two bits: it comes back after four versions
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assert
 * random:   none of 200,000 walks each of random, pos and burst fails (odds.sh)
 * shape:    three threads; between two reads of one pass exactly four versions have to
 *           come from two writers, DEPTH times in a row
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef DEPTH
#define DEPTH 3 /* mixtures */
#endif
enum { VERSIONS = 4, WRITES = 3 * DEPTH, READS = DEPTH + 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int seq, name, price, mixtures, is_sold;

static void *writer(void *arg)
{
    for (int i = 0; i < WRITES; i++) {
        pthread_mutex_lock(&lock);
        name = name + 1;
        price = price + 1;
        seq = (seq + 1) % VERSIONS;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < READS; i++) {
        int s = seq, n = name, p = price;
        mixtures = seq == s && p == n + VERSIONS ? mixtures + 1 : 0;
        if (mixtures == DEPTH)
            is_sold = 1;
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, writer, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    pthread_create(&t[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(!is_sold);
    return 0;
}
