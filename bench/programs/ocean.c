/* ocean.c [SIZE [ROUNDS [THREADS]]]: kernel for overhead, not tuned on: heat on a SIZE x SIZE (256) grid,
 * red and black points in turn, ROUNDS (40) rounds by THREADS (2), rows in bands; the change of a round is
 * summed under a lock, and all stop when it is small. Fails if the border's mean is exceeded. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 16 };
static int size = 256, rounds = 40, threads = 2;
static float *grid;
static double change, last_change;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t phase;

static double relax(int from, int to, int color)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        for (int j = 1 + (i + color) % 2; j < size - 1; j += 2) {
            float *p = &grid[i * size + j], was = *p;
            *p = was + 0.9f * (0.25f * (p[-1] + p[1] + p[-size] + p[size]) - was);
            sum += fabsf(*p - was);
        }
    return sum;
}

static void *work(void *arg)
{
    int me = (int)(long)arg, rows = size - 2;
    int from = 1 + rows * me / threads, to = 1 + rows * (me + 1) / threads;
    for (int r = 0; r < rounds; r++) {
        for (int color = 0; color < 2; color++) {
            double mine = relax(from, to, color);
            pthread_mutex_lock(&lock);
            change += mine;
            pthread_mutex_unlock(&lock);
            pthread_barrier_wait(&phase);
        }
        if (!me) {
            last_change = change;
            change = 0;
        }
        pthread_barrier_wait(&phase);
        if (last_change < 1e-3)
            break;
    }
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t[MAX_THREADS];
    size = argc > 1 ? atoi(argv[1]) : size;
    rounds = argc > 2 ? atoi(argv[2]) : rounds;
    threads = argc > 3 ? atoi(argv[3]) : threads;
    if (size < 4 || size > 8192 || threads < 1 || threads > MAX_THREADS || rounds < 1) {
        fprintf(stderr, "usage: ocean [size [rounds [threads]]]\n");
        return 64;
    }
    if (!(grid = calloc((size_t)size * (size_t)size, sizeof *grid)))
        return 99;
    for (int i = 0; i < size; i++)
        grid[i] = grid[i * size] = 1;
    pthread_barrier_init(&phase, NULL, (unsigned)threads);
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < size * size; i++)
        if (!(grid[i] >= 0 && grid[i] <= 1.001f)) {
            fprintf(stderr, "ocean: %g\n", (double)grid[i]);
            return 1;
        }
    return 0;
}
