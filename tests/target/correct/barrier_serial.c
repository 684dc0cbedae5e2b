/* The serial thread of a barrier does the work in between
 * cause:    none: exactly one gets the serial value in each round
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int part[3], total, rounds;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        part[me] = me + i;
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            total += part[0] + part[1] + part[2];
            rounds++;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&barrier, NULL, 3);
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(rounds == 3 && total == 3 + 6 + 9);
    pthread_barrier_destroy(&barrier);
    return 0;
}
