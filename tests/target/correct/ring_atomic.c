/* A padded ring with atomic ends
 * cause:    none: release and acquire order the items
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define SLOTS 4
#define ITEMS 12

static struct {
    _Alignas(64) atomic_long head;
    _Alignas(64) atomic_long tail;
    _Alignas(64) int item[SLOTS];
} ring;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&ring.tail, memory_order_acquire) >= SLOTS)
            ;
        ring.item[i % SLOTS] = i;
        atomic_store_explicit(&ring.head, i + 1, memory_order_release);
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&ring.head, memory_order_acquire) <= i)
            ;
        assert(ring.item[i % SLOTS] == i);
        atomic_store_explicit(&ring.tail, i + 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, producer, NULL);
    pthread_create(&t[1], NULL, consumer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
