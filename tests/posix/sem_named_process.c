/* A named semaphore orders parent and child
 * text:   processes that open the same name refer to the same semaphore
 * expect: exit 0
 */
#include "check.h"
#include <fcntl.h>
#include <semaphore.h>

int main(void)
{
    char name[64];
    int p[2];
    char c;
    snprintf(name, sizeof name, "/heddle-posix-p%d", (int)getpid());
    sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    TRUE(s != SEM_FAILED);
    OK(pipe(p));
    pid_t child = fork();
    if (child == 0) {
        sem_t *mine = sem_open(name, 0);
        TRUE(mine != SEM_FAILED);
        OK(sem_wait(mine));
        IS(write(p[1], "x", 1), 1);
        _exit(0);
    }
    OK(sem_post(s));
    IS(read(p[0], &c, 1), 1);
    IS(reap(child), 0);
    FAILS(sem_trywait(s), EAGAIN);
    OK(sem_close(s));
    OK(sem_unlink(name));
    return 0;
}
