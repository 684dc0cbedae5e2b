/* stencil.c [ROWS PASSES]: memory-bound kernel: two threads smooth halves of a
 * large grid, a barrier after each pass, a checksum under a lock at the end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLS = 1024, THREADS = 2 };

static float *from, *to;
static int rows = 1024, passes = 4;
static double checksum;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void smooth(const float *in, float *out, int first, int last)
{
    for (int r = first; r < last; r++)
        for (int c = 1; c < COLS - 1; c++) {
            const float *p = in + (size_t)r * COLS + c;
            out[(size_t)r * COLS + c] = (p[0] + p[-1] + p[1] + p[-COLS] + p[COLS]) * 0.2f;
        }
}

static void *work(void *arg)
{
    long id = (long)arg;
    int per = (rows - 2) / THREADS, first = 1 + (int)id * per;
    int last = id == THREADS - 1 ? rows - 1 : first + per;
    for (int p = 0; p < passes; p++) {
        smooth(p % 2 ? to : from, p % 2 ? from : to, first, last);
        pthread_barrier_wait(&barrier);
    }
    double sum = 0;
    for (int r = first; r < last; r++)
        sum += from[(size_t)r * COLS + r % COLS];
    pthread_mutex_lock(&lock);
    checksum += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        rows = atoi(argv[1]);
    if (argc > 2)
        passes = atoi(argv[2]);
    from = calloc((size_t)rows * COLS, sizeof *from);
    to = calloc((size_t)rows * COLS, sizeof *to);
    for (long i = 0; i < (long)rows * COLS; i += 7)
        from[i] = (float)(i % 100);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%.3f\n", checksum);
    return 0;
}
