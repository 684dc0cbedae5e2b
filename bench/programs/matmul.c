/* matmul.c [SIZE [THREADS]]: kernel for overhead, not tuned on: C = A * B of SIZE x SIZE (256) in blocks
 * of 32, by THREADS (2); each round of blocks is a phase between barriers, a block belongs to another thread
 * in the next one. Fails if a sample of C is not the product. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 32, MAX_THREADS = 16 };
static int size = 256, threads = 2;
static double *a, *b, *c;
static pthread_barrier_t phase;

static double left(int i, int j) { return (i * 3 + j * 5) % 7 - 3; }
static double right(int i, int j) { return (i * 11 + j * 2) % 5 - 2; }

static void multiply(int i0, int j0, int k0)
{
    for (int i = i0; i < i0 + BLOCK; i++)
        for (int j = j0; j < j0 + BLOCK; j++) {
            double sum = c[i * size + j];
            for (int k = k0; k < k0 + BLOCK; k++)
                sum += a[i * size + k] * b[k * size + j];
            c[i * size + j] = sum;
        }
}

static void *work(void *arg)
{
    int me = (int)(long)arg;
    for (int k = 0; k < size; k += BLOCK) {
        for (int i = 0; i < size; i += BLOCK)
            for (int j = 0; j < size; j += BLOCK)
                if (((i + j + k) / BLOCK) % threads == me)
                    multiply(i, j, k);
        pthread_barrier_wait(&phase);
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[MAX_THREADS];
    size = argc > 1 ? atoi(argv[1]) : size;
    threads = argc > 2 ? atoi(argv[2]) : threads;
    if (size < BLOCK || size % BLOCK || size > 4096 || threads < 1 || threads > MAX_THREADS) {
        fprintf(stderr, "usage: matmul [multiple of %d [threads]]\n", BLOCK);
        return 64;
    }
    size_t bytes = (size_t)size * (size_t)size * sizeof *a;
    if (!(a = malloc(bytes)) || !(b = malloc(bytes)) || !(c = calloc(1, bytes)))
        return 99;
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            a[i * size + j] = left(i, j);
            b[i * size + j] = right(i, j);
        }
    pthread_barrier_init(&phase, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < size; i += 17) {
        double sum = 0;
        for (int k = 0; k < size; k++)
            sum += left(i, k) * right(k, size - 1 - i);
        if (c[i * size + size - 1 - i] != sum) {
            fprintf(stderr, "matmul: not the product\n");
            return 1;
        }
    }
    return 0;
}
