/* A semaphore orders one writer before the reader, the other writer is free
 * build:    gcc -g -O1 -fsanitize=thread
 * states:   3
 * finals:   1 1 | 1 2 | 2 2
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t ready;
static volatile int x, r;

static void *writer(void *arg)
{
    x = 1;
    sem_post(&ready);
    return arg;
}

static void *reader(void *arg)
{
    sem_wait(&ready);
    r = x;
    return arg;
}

static void *stranger(void *arg)
{
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t w, r1, s;
    sem_init(&ready, 0, 0);
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r1, NULL, reader, NULL);
    pthread_create(&s, NULL, stranger, NULL);
    pthread_join(w, NULL);
    pthread_join(r1, NULL);
    pthread_join(s, NULL);
    printf("%d %d\n", r, x);
    return 0;
}
