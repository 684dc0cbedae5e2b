/* The last stage of a pipeline frees the buffer that the first one still closes
 * cause: the end is told before the last use
 * build: gcc -g -O1 -fsanitize=thread
 * expect: heap
 * warm: 8000 items through a queue of two semaphores
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#ifndef WARM
#define WARM 8000
#endif

struct buffer {
    long item[4];
    int is_closed;
};
static sem_t full, empty;
static struct buffer *shared;

static void *sink(void *arg)
{
    long sum = 0;
    for (long i = 0; i <= WARM; i++) {
        sem_wait(&full);
        sum += shared->item[i % 4];
        sem_post(&empty);
    }
    free(shared);
    return (void *)sum;
}

int main(void)
{
    pthread_t t;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 4);
    shared = calloc(1, sizeof *shared);
    pthread_create(&t, NULL, sink, NULL);
    for (long i = 0; i < WARM; i++) {
        sem_wait(&empty);
        shared->item[i % 4] = i;
        sem_post(&full);
    }
    sem_wait(&empty);
    shared->item[WARM % 4] = 0;
    sem_post(&full);
    shared->is_closed = 1; /* BUG */
    pthread_join(t, NULL);
    return 0;
}
