/* radix.c [KEYS [THREADS]]: kernel for overhead: sorts KEYS numbers (20000) of 32 bits
 * by THREADS (2), a byte at a time. A pass: each thread counts its part, then all know
 * where each thread's numbers of each byte go, then each moves its part; barriers
 * between. Fails if the numbers are not in order or not the same. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIGITS = 256, PASSES = 4, MAX_THREADS = 16 };

static long keys = 20000;
static int threads = 2;
static uint32_t *from, *to;
static long count[MAX_THREADS][DIGITS]; /* numbers, then the place of the next one */
static pthread_barrier_t step;

/* A thread's share of the digits: their totals, kept for the sums over digits. */
static long total[DIGITS];

static void count_part(long me, const uint32_t *in, int shift, long first, long last)
{
    for (int d = 0; d < DIGITS; d++)
        count[me][d] = 0;
    for (long i = first; i < last; i++)
        count[me][in[i] >> shift & 255]++;
}

static void sum_digits(long me)
{
    for (long d = DIGITS * me / threads; d < DIGITS * (me + 1) / threads; d++) {
        total[d] = 0;
        for (int t = 0; t < threads; t++)
            total[d] += count[t][d];
    }
}

static void find_places(long me)
{
    long base = 0, place[DIGITS];
    for (int d = 0; d < DIGITS; d++) {
        place[d] = base;
        for (long t = 0; t < me; t++)
            place[d] += count[t][d];
        base += total[d];
    }
    pthread_barrier_wait(&step); /* all have read the counts */
    for (int d = 0; d < DIGITS; d++)
        count[me][d] = place[d];
}

static void *work(void *arg)
{
    long me = (long)arg, first = keys * me / threads, last = keys * (me + 1) / threads;
    uint32_t *in = from, *out = to;
    for (int p = 0; p < PASSES; p++) {
        count_part(me, in, 8 * p, first, last);
        pthread_barrier_wait(&step);
        sum_digits(me);
        pthread_barrier_wait(&step);
        find_places(me);
        for (long i = first; i < last; i++)
            out[count[me][in[i] >> 8 * p & 255]++] = in[i];
        pthread_barrier_wait(&step);
        uint32_t *t = in;
        in = out;
        out = t;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        keys = atol(argv[1]);
    if (argc > 2)
        threads = atoi(argv[2]);
    if (keys < 1 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: radix [KEYS [THREADS 1-%d]]\n", MAX_THREADS);
        return 64;
    }
    from = malloc((size_t)keys * sizeof *from);
    to = malloc((size_t)keys * sizeof *to);
    if (!from || !to)
        return 99;
    uint32_t number = 1;
    uint64_t before = 0, after = 0;
    for (long i = 0; i < keys; i++) {
        number = number * 1664525u + 1013904223u;
        from[i] = number;
        before += (uint64_t)number * number;
    }
    pthread_barrier_init(&step, NULL, (unsigned)threads);
    pthread_t t[MAX_THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    int is_sorted = 1; /* PASSES is even: the result is where the numbers were */
    for (long i = 0; i < keys; i++) {
        after += (uint64_t)from[i] * from[i];
        is_sorted &= !i || from[i - 1] <= from[i];
    }
    is_sorted &= before == after;
    printf("%ld numbers, sorted: %s\n", keys, is_sorted ? "yes" : "no");
    return !is_sorted;
}
