/* A thread that is done, and that nobody joins or detaches
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    C1-C1
 * class:    fails
 * finding:  leak
 */
#include "threads.h"
#include <semaphore.h>

static sem_t done;

static void *work(void *arg)
{
    sem_post(&done);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++) {
        pthread_create(&t, NULL, work, NULL); /* C1 */
        sem_wait(&done);
    }
    return 0;
}
