/* Hydrogen and oxygen meet in threes
 * cause:    none: a barrier of three and semaphores that let in two of one and one of the other
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t hydrogen, oxygen;
static pthread_barrier_t bond;
static _Atomic int made;

static void *h(void *arg)
{
    sem_wait(&hydrogen);
    pthread_barrier_wait(&bond);
    sem_post(&hydrogen);
    return arg;
}

static void *o(void *arg)
{
    sem_wait(&oxygen);
    pthread_barrier_wait(&bond);
    made++;
    sem_post(&oxygen);
    return arg;
}

int main(void)
{
    pthread_t t[6];
    sem_init(&hydrogen, 0, 2);
    sem_init(&oxygen, 0, 1);
    pthread_barrier_init(&bond, NULL, 3);
    for (int i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, i < 4 ? h : o, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    assert(made == 2);
    return 0;
}
