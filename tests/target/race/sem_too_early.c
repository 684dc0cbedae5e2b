/* A semaphore posted before the data is there
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <semaphore.h>

static sem_t sem;
static int n;

static void *one(void *arg)
{
    sem_post(&sem);
    n = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    sem_wait(&sem);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    run_both(one, two);
    return 0;
}
