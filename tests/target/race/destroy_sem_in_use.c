/* A semaphore is destroyed while another thread may still post it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <semaphore.h>

static sem_t sem;

static void *user(void *arg)
{
    sem_post(&sem); /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    sem_destroy(&sem); /* R2 */
    return arg;
}

int main(void)
{
    sem_init(&sem, 0, 0);
    run_both(user, owner);
    return 0;
}
