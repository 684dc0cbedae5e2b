/* A ring of padded slots, polled by plain reads
 * cause:    none: one writer and one reader a slot; volatile, on x86
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    full: producer's store with the consumer's poll, consumer's store with the producer's poll; value is ordered by them
 * tsan:     skip, the flags are plain
 */
#include <assert.h>
#include <pthread.h>

#define SLOTS 16
#define ITEMS 60

static struct slot {
    volatile int full;
    int value;
    char pad[512 - 2 * sizeof(int)];
} ring[SLOTS] __attribute__((aligned(512)));

static struct {
    _Alignas(512) volatile long head;
    _Alignas(512) volatile long tail;
} ends;

static void *producer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        struct slot *s = &ring[i % SLOTS];
        while (s->full)
            ;
        s->value = i;
        s->full = 1;
        ends.head = i + 1;
    }
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ITEMS; i++) {
        while (ends.head == ends.tail) /* equal offsets of two lines */
            ;
        struct slot *s = &ring[i % SLOTS];
        while (!s->full)
            ;
        assert(s->value == i);
        s->full = 0;
        ends.tail = i + 1;
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
