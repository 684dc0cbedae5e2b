/* Handed over by a semaphore
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <semaphore.h>

static sem_t sem;
static int n;

static void *one(void *arg)
{
    n = 1;
    sem_post(&sem);
    return arg;
}

static void *two(void *arg)
{
    sem_wait(&sem);
    printf("%d\n", n);
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    run_both(one, two);
    return 0;
}
