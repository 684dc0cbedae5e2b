/* pipeline.c [ITEMS [THREADS]]: kernel for overhead, not tuned on: ITEMS (200) buffers of 16 KiB go through a
 * pipeline of queues with locks and conditions: one thread fills them, THREADS (2) sort bytes by
 * frequency and transform them, one sums up. Fails if the sum is wrong. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 16384, ROOM = 4, MAX_THREADS = 16 };
struct item {
    int number;
    unsigned char bytes[BYTES], out[BYTES];
};
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct item *item[ROOM];
    int n, is_closed;
};
static struct queue raw = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static struct queue done = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
static int items = 200, threads = 2;

static void put(struct queue *q, struct item *i)
{
    pthread_mutex_lock(&q->lock);
    while (q->n == ROOM)
        pthread_cond_wait(&q->changed, &q->lock);
    q->item[q->n++] = i;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static void close_queue(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->is_closed++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static struct item *get(struct queue *q, int closers)
{
    struct item *i = NULL;
    pthread_mutex_lock(&q->lock);
    while (!q->n && q->is_closed < closers)
        pthread_cond_wait(&q->changed, &q->lock);
    if (q->n)
        i = q->item[--q->n];
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
    return i;
}

static unsigned byte_of(int number, int at) { return (unsigned)(number * 31 + at * at / 7) % 251; }

static void *transform(void *arg)
{
    struct item *i;
    while ((i = get(&raw, 1))) {
        int times[256] = {0}, first[256] = {0};
        for (int k = 0; k < BYTES; k++)
            times[i->bytes[k]]++;
        for (int v = 1; v < 256; v++)
            first[v] = first[v - 1] + times[v - 1];
        for (int k = 0; k < BYTES; k++)
            i->out[first[i->bytes[k]]++] = i->bytes[k];
        for (int k = 1; k < BYTES; k++)
            i->bytes[k] = (unsigned char)(i->out[k] - i->out[k - 1]);
        put(&done, i);
    }
    close_queue(&done);
    return arg;
}

static void *fill(void *arg)
{
    for (int n = 0; n < items; n++) {
        struct item *i = malloc(sizeof *i);
        if (!i)
            exit(99);
        i->number = n;
        for (int k = 0; k < BYTES; k++)
            i->bytes[k] = (unsigned char)byte_of(n, k);
        put(&raw, i);
    }
    close_queue(&raw);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[MAX_THREADS + 1];
    items = argc > 1 ? atoi(argv[1]) : items;
    threads = argc > 2 ? atoi(argv[2]) : threads;
    if (items < 1 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: pipeline [items [threads]]\n");
        return 64;
    }
    pthread_create(&t[0], NULL, fill, NULL);
    for (int i = 1; i <= threads; i++)
        pthread_create(&t[i], NULL, transform, NULL);
    struct item *i;
    long sum = 0, want = 0;
    while ((i = get(&done, threads))) {
        sum += i->out[0];
        for (int k = 1; k < BYTES; k++) /* differences of sorted bytes */
            sum += i->bytes[k];
        free(i);
    }
    for (int k = 0; k <= threads; k++)
        pthread_join(t[k], NULL);
    for (int n = 0; n < items; n++) { /* = the greatest byte of each */
        unsigned most = 0;
        for (int k = 0; k < BYTES; k++)
            most = byte_of(n, k) > most ? byte_of(n, k) : most;
        want += most;
    }
    if (sum != want) {
        fprintf(stderr, "pipeline: %ld instead of %ld\n", sum, want);
        return 1;
    }
    return 0;
}
