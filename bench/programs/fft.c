/* fft.c [LOG2_SIZE [THREADS]]: kernel for overhead: Fourier transform of 2^LOG2_SIZE
 * points (12) by THREADS (2), there and back again; a barrier after each of the passes.
 * Fails if the points that come back are not those that went. */
#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 16 };
static const double TURN = 6.283185307179586;

static int bits = 12, threads = 2;
static size_t size;
static double complex *from, *point, *root;
static pthread_barrier_t pass;

static size_t reversed(size_t i)
{
    size_t r = 0;
    for (int b = 0; b < bits; b++)
        r |= (i >> b & 1) << (bits - 1 - b);
    return r;
}

/* This thread's share of the butterflies over `span` points. */
static void butterflies(size_t span, size_t first, size_t last, int is_back)
{
    for (size_t k = first; k < last; k++) {
        size_t half = span / 2, group = k / half, at = k % half;
        size_t low = group * span + at;
        double complex w = root[at * (size / span)];
        double complex a = point[low], b = point[low + half] * (is_back ? conj(w) : w);
        point[low] = a + b;
        point[low + half] = a - b;
    }
}

static void transform(size_t me, int is_back)
{
    size_t first = size * me / (size_t)threads, last = size * (me + 1) / (size_t)threads;
    for (size_t i = first; i < last; i++) {
        size_t r = reversed(i);
        if (i < r) { /* who owns the lower one swaps the pair */
            double complex t = point[i];
            point[i] = point[r];
            point[r] = t;
        }
    }
    pthread_barrier_wait(&pass);
    for (size_t span = 2; span <= size; span *= 2) {
        butterflies(span, first / 2, last / 2, is_back);
        pthread_barrier_wait(&pass);
    }
}

static void *work(void *arg)
{
    size_t me = (size_t)arg;
    transform(me, 0);
    transform(me, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        bits = atoi(argv[1]);
    if (argc > 2)
        threads = atoi(argv[2]);
    if (bits < 4 || bits > 24 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: fft [LOG2_SIZE 4-24 [THREADS 1-%d]]\n", MAX_THREADS);
        return 64;
    }
    size = (size_t)1 << bits;
    from = malloc(size * sizeof *from);
    point = malloc(size * sizeof *point);
    root = malloc(size / 2 * sizeof *root);
    if (!from || !point || !root)
        return 99;
    for (size_t i = 0; i < size; i++)
        from[i] = point[i] = (double)(i * 7919 % 1000) - I * (double)(i % 13);
    for (size_t i = 0; i < size / 2; i++)
        root[i] = cexp(-I * TURN * (double)i / (double)size);
    pthread_barrier_init(&pass, NULL, (unsigned)threads);
    pthread_t t[MAX_THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    double worst = 0;
    for (size_t i = 0; i < size; i++)
        worst = fmax(worst, cabs(point[i] / (double)size - from[i]));
    printf("%zu points, error below 1e-6: %s\n", size, worst < 1e-6 ? "yes" : "no");
    return worst < 1e-6 ? 0 : 1;
}
