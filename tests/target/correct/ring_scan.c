/* A consumer that scans padded flags of many producers
 * cause:    none: a flag is set after its value; volatile, on x86
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    ready: the producer's store with the consumer's poll
 * tsan:     skip, the flags are plain
 */
#include <assert.h>
#include <pthread.h>

#define N 5

static struct line {
    volatile int ready;
    int value;
    char pad[120];
} line[N] __attribute__((aligned(128)));

static void *producer(void *arg)
{
    int i = (int)(long)arg;
    line[i].value = i * i;
    line[i].ready = 1;
    return arg;
}

static void *consumer(void *arg)
{
    int seen = 0, sum = 0;
    while (seen != (1 << N) - 1)
        for (int i = 0; i < N; i++)
            if (line[i].ready && !(seen >> i & 1)) {
                seen |= 1 << i;
                sum += line[i].value;
            }
    assert(sum == 0 + 1 + 4 + 9 + 16);
    return arg;
}

int main(void)
{
    pthread_t t[N + 1];
    pthread_create(&t[N], NULL, consumer, NULL);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, producer, (void *)i);
    for (int i = 0; i <= N; i++)
        pthread_join(t[i], NULL);
    return 0;
}
