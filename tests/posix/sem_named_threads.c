/* A named semaphore between threads that open it separately
 * text:   every open of a name in a process gives the same semaphore
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <semaphore.h>

static char name[64];

static void *user(void *arg)
{
    sem_t *s = sem_open(name, 0);
    TRUE(s != SEM_FAILED);
    OK(arg ? sem_post(s) : sem_wait(s));
    OK(sem_close(s));
    return NULL;
}

int main(void)
{
    snprintf(name, sizeof name, "/heddle-posix-nt-%d", (int)getpid());
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    TRUE(s != SEM_FAILED);
    pthread_t a = start(user, NULL), b = start(user, name);
    join(a);
    join(b);
    struct timespec t = in_ms(CLOCK_REALTIME, 5);
    FAILS(sem_timedwait(s, &t), ETIMEDOUT);
    OK(sem_close(s));
    OK(sem_unlink(name));
    return 0;
}
