/* A semaphore that is meant as a lock begins with two
 * build:    clang -shared-libsan -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    any
 */
#include <semaphore.h>

#include "threads.h"

static sem_t s;
static int counter;

static void *worker(void *arg)
{
    sem_wait(&s);
    counter++; /* R1 */
    sem_post(&s);
    return arg;
}

int main(void)
{
    sem_init(&s, 0, 2);
    run_both(worker, worker);
    printf("%d\n", counter);
    return 0;
}
