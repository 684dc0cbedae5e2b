/* A ring whose place is reserved, seen by the reader, and filled afterwards
 * cause:    published before it is filled
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   assertion
 * budget:   300 runs
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SIZE 8
static atomic_int tail, slot[SIZE];
static int head;

static void *producer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int at = atomic_fetch_add(&tail, 1);
        atomic_store(&slot[at % SIZE], (int)(long)arg);
    }
    return NULL;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < 3; i++)
        if (head < atomic_load(&tail))
            assert(atomic_load(&slot[head++ % SIZE]) != 0);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, consumer, NULL);
    for (long i = 1; i < 3; i++)
        pthread_create(&t[i], NULL, producer, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
