/* A thread hands out a pointer to its own stack and goes on with the variable
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <semaphore.h>

static sem_t ready;
static int *shared;

static void *owner(void *arg)
{
    int value = 1;
    shared = &value;
    sem_post(&ready);
    value = 2; /* R1 */
    pthread_exit(arg);
}

static void *borrower(void *arg)
{
    sem_wait(&ready);
    printf("%d\n", *shared); /* R2 */
    return arg;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    run_both(owner, borrower);
    return 0;
}
