/* Two threads smooth halves of a row, again and again
 * cause:    none: each reads the other's border cells of the pass before, a barrier between
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

/* Many more accesses than the few at the border: those are what matters. */
#define CELLS 8002
#define PASSES 4
static pthread_barrier_t barrier;
static int *row[2]; /* on the heap; main fills and looks at every ninth */

static void *worker(void *arg)
{
    int half = CELLS / 2, first = arg ? half : 1, last = arg ? CELLS - 1 : half;
    for (int p = 0; p < PASSES; p++) {
        const int *old = row[p % 2];
        int *new = row[!(p % 2)];
        for (int i = first; i < last; i++)
            new[i] = (old[i - 1] + old[i] + old[i + 1]) / 3;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    for (int k = 0; k < 2; k++)
        row[k] = calloc(CELLS, sizeof *row[k]);
    for (int i = 0; i < CELLS; i += 9)
        row[0][i] = 900;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    long sum = 0;
    for (int i = 0; i < CELLS; i += 9)
        sum += row[0][i];
    assert(sum > CELLS * 10);
    return 0;
}
