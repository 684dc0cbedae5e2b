/* A process-shared barrier between parent and child
 * text:   threads of both processes meet; one gets the special value
 * expect: exit 0
 */
#include "check.h"
#include <sys/mman.h>

int main(void)
{
    pthread_barrier_t *b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_t a;
    TRUE(b != MAP_FAILED);
    OK(pthread_barrierattr_init(&a));
    OK(pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED));
    OK(pthread_barrier_init(b, &a, 2));
    pid_t child = fork();
    int serial = 0;
    for (int i = 0; i < 3; i++) {
        int r = pthread_barrier_wait(b);
        TRUE(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD);
        serial += r != 0;
    }
    if (child == 0)
        _exit(serial);
    int status = reap(child);
    TRUE(WIFEXITED(status));
    IS(WEXITSTATUS(status) + serial, 3);
    return 0;
}
