/* Three threads that compute in phases
 * cause:    none: each cell is written in one phase and read in the next
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

#define THREADS 3
#define PHASES 3
static pthread_barrier_t barrier;
static int cell[2][THREADS];
static int serial; /* written by the serial thread of each phase only */

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int p = 0; p < PHASES; p++) {
        const int *old = cell[p % 2];
        cell[(p + 1) % 2][me] = old[0] + old[1] + old[2] + 1;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
            serial++;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int i = 0; i < THREADS; i++) /* 1, 4, 13 */
        assert(cell[PHASES % 2][i] == 13);
    assert(serial == PHASES);
    return 0;
}
