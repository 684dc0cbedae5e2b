/* lu.c [SIZE [THREADS]]: kernel for overhead: LU factorization of a SIZE x SIZE matrix (128)
 * in blocks, by THREADS (2); blocks belong to threads in turn, a barrier after each phase. Fails
 * if L times U is not the matrix. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 16, MAX_THREADS = 16 };
static int size = 128, threads = 2, blocks;
static double *a;
static pthread_barrier_t phase;

#define AT(i, j) a[(size_t)(i) * (size_t)size + (size_t)(j)]

static double entry(int i, int j) { return i == j ? size : 1.0 / (1 + (i * 7 + j * 3) % 11); }

static void diagonal(int k)
{
    for (int p = k; p < k + BLOCK; p++)
        for (int i = p + 1; i < k + BLOCK; i++) {
            AT(i, p) /= AT(p, p);
            for (int j = p + 1; j < k + BLOCK; j++)
                AT(i, j) -= AT(i, p) * AT(p, j);
        }
}

static void below(int i0, int k)
{
    for (int p = k; p < k + BLOCK; p++)
        for (int i = i0; i < i0 + BLOCK; i++) {
            AT(i, p) /= AT(p, p);
            for (int j = p + 1; j < k + BLOCK; j++)
                AT(i, j) -= AT(i, p) * AT(p, j);
        }
}

static void right_of(int k, int j0)
{
    for (int p = k; p < k + BLOCK; p++)
        for (int i = p + 1; i < k + BLOCK; i++)
            for (int j = j0; j < j0 + BLOCK; j++)
                AT(i, j) -= AT(i, p) * AT(p, j);
}

static void inner(int i0, int j0, int k)
{
    for (int i = i0; i < i0 + BLOCK; i++)
        for (int p = k; p < k + BLOCK; p++)
            for (int j = j0; j < j0 + BLOCK; j++)
                AT(i, j) -= AT(i, p) * AT(p, j);
}

static void *factor(void *arg)
{
    int me = (int)(long)arg;
    for (int b = 0; b < blocks; b++) {
        int k = b * BLOCK;
        if (b % threads == me)
            diagonal(k);
        pthread_barrier_wait(&phase);
        for (int r = b + 1; r < blocks; r++) {
            if (r % threads == me)
                below(r * BLOCK, k);
            if ((r + 1) % threads == me)
                right_of(k, r * BLOCK);
        }
        pthread_barrier_wait(&phase);
        for (int r = b + 1; r < blocks; r++)
            for (int c = b + 1; c < blocks; c++)
                if ((r + c * blocks) % threads == me)
                    inner(r * BLOCK, c * BLOCK, k);
        pthread_barrier_wait(&phase);
    }
    return arg;
}

static int is_wrong(void)
{
    for (int i = 0; i < size; i += 7)
        for (int j = 0; j < size; j += 5) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : AT(i, k)) * AT(k, j);
            if (fabs(sum - entry(i, j)) > 1e-6 * size)
                return 1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    pthread_t t[MAX_THREADS];
    size = argc > 1 ? atoi(argv[1]) : size;
    threads = argc > 2 ? atoi(argv[2]) : threads;
    if (size < BLOCK || size % BLOCK || size > 4096 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: lu [multiple of %d [threads]]\n", BLOCK);
        return 64;
    }
    blocks = size / BLOCK;
    a = malloc((size_t)size * (size_t)size * sizeof *a);
    if (!a)
        return 99;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            AT(i, j) = entry(i, j);
    pthread_barrier_init(&phase, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, factor, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    if (is_wrong()) {
        fprintf(stderr, "lu: L times U is not the matrix\n");
        return 1;
    }
    free(a);
    return 0;
}
