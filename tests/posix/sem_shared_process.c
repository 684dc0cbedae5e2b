/* An unnamed semaphore in shared memory orders parent and child
 * text:   with a non-zero pshared argument any process that can reach the memory may use it
 * expect: exit 0
 */
#include "check.h"
#include <semaphore.h>
#include <sys/mman.h>

int main(void)
{
    sem_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TRUE(s != MAP_FAILED);
    OK(sem_init(&s[0], 1, 0));
    OK(sem_init(&s[1], 1, 0));
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++) {
            OK(sem_wait(&s[0]));
            OK(sem_post(&s[1]));
        }
        _exit(0);
    }
    for (int i = 0; i < 3; i++) {
        OK(sem_post(&s[0]));
        OK(sem_wait(&s[1]));
    }
    IS(reap(child), 0);
    FAILS(sem_trywait(&s[1]), EAGAIN);
    return 0;
}
