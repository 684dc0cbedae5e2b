/* Robust process-shared mutex: a child that ends with it is noticed
 * text:   the owner's process ending counts as the owner ending
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    pthread_mutexattr_t a;
    pthread_mutex_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    TRUE(m != MAP_FAILED);
    OK(pthread_mutexattr_init(&a));
    OK(pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST));
    OK(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_mutex_init(m, &a));
    pid_t child = fork();
    if (child == 0) {
        OK(pthread_mutex_lock(m));
        _exit(0);
    }
    IS(reap(child), 0);
    IS(pthread_mutex_lock(m), EOWNERDEAD);
    OK(pthread_mutex_consistent(m));
    OK(pthread_mutex_unlock(m));
    OK(pthread_mutex_destroy(m));
    return 0;
}
