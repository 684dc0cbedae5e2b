/* Named semaphores: open flags and errors
 * text:   without O_CREAT a missing name is ENOENT; O_EXCL on an existing one is EEXIST;
 *         a second open gives the same semaphore; unlink removes the name only
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>

int main(void)
{
    char name[64];
    int v;
    snprintf(name, sizeof name, "/heddle-posix-%d", (int)getpid());
    errno = 0;
    TRUE(sem_open(name, 0) == SEM_FAILED);
    IS(errno, ENOENT);
    FAILS(sem_unlink(name), ENOENT);
    sem_t *a = sem_open(name, O_CREAT | O_EXCL, 0600, 3);
    TRUE(a != SEM_FAILED);
    errno = 0;
    TRUE(sem_open(name, O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED);
    IS(errno, EEXIST);
    sem_t *b = sem_open(name, O_CREAT, 0600, 9); /* the value is not changed */
    TRUE(b != SEM_FAILED);
    OK(sem_wait(b));
    OK(sem_getvalue(a, &v));
    IS(v, 2);
    OK(sem_unlink(name));
    OK(sem_post(a));
    OK(sem_getvalue(b, &v));
    IS(v, 3);
    OK(sem_close(a));
    OK(sem_close(b));
    errno = 0;
    TRUE(sem_open(name, O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED);
    IS(errno, EINVAL);
    return 0;
}
