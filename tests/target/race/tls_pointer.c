/* A thread-local variable is read by another thread through its address
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <semaphore.h>

static __thread int own = 1;
static int *seen;
static sem_t ready, done;

static void *owner(void *arg)
{
    seen = &own;
    sem_post(&ready);
    own = 2; /* R1 */
    sem_wait(&done);
    return arg;
}

static void *other(void *arg)
{
    sem_wait(&ready);
    printf("%d\n", *seen); /* R2 */
    sem_post(&done);
    return arg;
}

int main(void)
{
    sem_init(&ready, 0, 0);
    sem_init(&done, 0, 0);
    run_both(owner, other);
    return 0;
}
