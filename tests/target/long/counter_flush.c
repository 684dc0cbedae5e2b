/* A counter loses an update when it is flushed, behind millions of plain accesses
 * cause: a read and a write of an atomic where an update was meant
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 200000 rounds over an array that two threads share
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef WARM
#define WARM 200000
#endif

enum { CELLS = 16 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long cell[CELLS];
static atomic_long total;

static void fill(void)
{
    pthread_mutex_lock(&lock);
    for (long i = 0; i < WARM; i++)
        for (int k = 0; k < CELLS; k++)
            cell[k] += i;
    pthread_mutex_unlock(&lock);
}

static void flush_to_total(void)
{
    long now = atomic_load(&total);
    atomic_store(&total, now + 1); /* BUG */
}

static void *worker(void *arg)
{
    fill();
    flush_to_total();
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    fill();
    flush_to_total();
    pthread_join(t, NULL);
    assert(total == 2);
    return 0;
}
