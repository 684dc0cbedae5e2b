/* A thread may detach itself
 * text:   pthread_detach(pthread_self()) lets the storage go at the end of the thread
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t done;

static void *user(void *arg)
{
    OK(pthread_detach(pthread_self()));
    OK(sem_post(&done));
    return NULL;
}

int main(void)
{
    OK(sem_init(&done, 0, 0));
    for (int i = 0; i < 4; i++)
        start(user, NULL);
    for (int i = 0; i < 4; i++)
        OK(sem_wait(&done));
    return 0;
}
