/* A semaphore of three: a reader takes one unit, the writer takes all, one after the other under a lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <semaphore.h>
#include <stdlib.h>

#include "threads.h"

static sem_t units;
static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static int a = 1, b = -1;

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&units);
        if (a + b)
            abort();
        sem_post(&units);
    }
    return arg;
}

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&writers);
        for (int k = 0; k < 3; k++)
            sem_wait(&units);
        a++;
        b--;
        for (int k = 0; k < 3; k++)
            sem_post(&units);
        pthread_mutex_unlock(&writers);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    sem_init(&units, 0, 3);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i < 2 ? reader : writer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return a != 5 || b != -5;
}
