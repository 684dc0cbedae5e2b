/* A semaphore of value one as a lock, and data handed over under it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <semaphore.h>

static sem_t sem;
static int n, last;

static void *work(void *arg)
{
    for (int i = 0; i < 2; i++) {
        sem_wait(&sem);
        last = ++n;
        sem_post(&sem);
    }
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, 1);
    run_both(work, work);
    printf("%d\n", last);
    sem_destroy(&sem);
    return 0;
}
