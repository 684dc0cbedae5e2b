/* A token goes round through semaphores
 * cause:    none: each waits for its own semaphore and posts the next
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#define N 4
static sem_t turn[N];
static int order[2 * N], n;

static void *worker(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        sem_wait(&turn[me]);
        order[n++] = me;
        sem_post(&turn[(me + 1) % N]);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[N];
    for (int i = 0; i < N; i++)
        sem_init(&turn[i], 0, i == 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 2 * N; i++)
        assert(order[i] == i % N);
    return 0;
}
