/* Readers and a writer by semaphores alone
 * cause:    none: the first reader locks the room, the last one unlocks it, whoever that is
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t room, count_lock;
static int readers, a, b;

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&count_lock);
        if (++readers == 1)
            sem_wait(&room);
        sem_post(&count_lock);
        assert(a == b);
        sem_wait(&count_lock);
        if (--readers == 0)
            sem_post(&room);
        sem_post(&count_lock);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&room);
        a++;
        b++;
        sem_post(&room);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    sem_init(&room, 0, 1);
    sem_init(&count_lock, 0, 1);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, i < 2 ? reader : writer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(a == 2 && b == 2);
    return 0;
}
