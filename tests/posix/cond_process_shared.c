/* A process-shared condition wakes a thread of another process
 * text:   with the pshared attribute, any thread with access to the memory may use it
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

struct box {
    pthread_mutex_t m;
    pthread_cond_t c;
    int turn;
};

int main(void)
{
    struct box *b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t ma;
    pthread_condattr_t ca;
    TRUE(b != MAP_FAILED);
    OK(pthread_mutexattr_init(&ma));
    OK(pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED));
    OK(pthread_condattr_init(&ca));
    OK(pthread_condattr_setpshared(&ca, PTHREAD_PROCESS_SHARED));
    OK(pthread_mutex_init(&b->m, &ma));
    OK(pthread_cond_init(&b->c, &ca));
    pid_t child = fork();
    int me = child ? 0 : 1;
    for (int i = 0; i < 4; i++) {
        OK(pthread_mutex_lock(&b->m));
        while (b->turn % 2 != me)
            OK(pthread_cond_wait(&b->c, &b->m));
        b->turn++;
        OK(pthread_cond_signal(&b->c));
        OK(pthread_mutex_unlock(&b->m));
    }
    if (!child)
        _exit(0);
    IS(reap(child), 0);
    IS(b->turn, 8);
    return 0;
}
