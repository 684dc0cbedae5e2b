/* A block goes through a queue with a lock: who takes it out owns it, and may free it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdlib.h>

static int *queue[4];
static int head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

static void *producer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *block = malloc(sizeof *block);
        *block = i;
        pthread_mutex_lock(&lock);
        queue[tail++] = block;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *consumer(void *arg)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        while (head == tail)
            pthread_cond_wait(&filled, &lock);
        int *block = queue[head++];
        pthread_mutex_unlock(&lock);
        sum += *block;
        *block = -1;
        free(block);
    }
    printf("%d\n", sum);
    return arg;
}

int main(void)
{
    run_both(producer, consumer);
    return 0;
}
