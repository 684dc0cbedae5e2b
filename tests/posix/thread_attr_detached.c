/* A thread created detached runs and cannot be joined
 * text:   the detachstate attribute makes a thread whose storage is reclaimed at its end
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>

static sem_t done;

static void *user(void *arg)
{
    pthread_attr_t a;
    int v;
    OK(pthread_getattr_np(pthread_self(), &a));
    OK(pthread_attr_getdetachstate(&a, &v));
    IS(v, PTHREAD_CREATE_DETACHED);
    OK(pthread_attr_destroy(&a));
    OK(sem_post(&done));
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_t t;
    OK(sem_init(&done, 0, 0));
    OK(pthread_attr_init(&a));
    OK(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
    for (int i = 0; i < 3; i++)
        OK(pthread_create(&t, &a, user, NULL));
    for (int i = 0; i < 3; i++)
        OK(sem_wait(&done));
    OK(pthread_attr_destroy(&a));
    return 0;
}
