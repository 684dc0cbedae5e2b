/* System V shared memory: attach, detach, removal, errors
 * text:   attachments see the same memory; a removed segment lives until the last detach
 * expect: exit 0
 */
#include "check.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void)
{
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    TRUE(id >= 0);
    int *a = shmat(id, NULL, 0), *b = shmat(id, NULL, SHM_RDONLY);
    TRUE(a != (void *)-1 && b != (void *)-1 && a != b);
    a[0] = 5;
    IS(b[0], 5);
    pid_t child = fork();
    if (child == 0) {
        a[1] = 6;
        _exit(0);
    }
    IS(reap(child), 0);
    IS(b[1], 6);
    OK(shmdt(b));
    FAILS(shmdt(b), EINVAL);
    OK(shmctl(id, IPC_RMID, NULL));
    IS(a[0], 5);
    OK(shmdt(a));
    errno = 0;
    TRUE(shmat(id, NULL, 0) == (void *)-1);
    TRUE(errno == EINVAL || errno == EIDRM);
    FAILS(shmget(IPC_PRIVATE, 0, IPC_CREAT | 0600), EINVAL);
    return 0;
}
