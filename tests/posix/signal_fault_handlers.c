/* Synchronous faults reach the program's handler, which may jump out
 * text:   SIGSEGV, SIGFPE and SIGBUS by an instruction are delivered to that thread with the
 *         address; siglongjmp out of the handler is allowed
 * expect: exit 0
 */
#include "check.h"
#include <setjmp.h>
#include <sys/mman.h>

static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t last;
static void *volatile page;

static void handler(int s, siginfo_t *info, void *context)
{
    last = s;
    if (s == SIGSEGV)
        TRUE(info->si_addr == page);
    siglongjmp(back, 1);
}

static void *faults(void *arg)
{
    for (int i = 0; i < 3; i++) {
        last = 0;
        if (!sigsetjmp(back, 1)) {
            *(volatile char *)page = 1;
            _exit(3);
        }
        IS(last, SIGSEGV);
        last = 0;
        if (!sigsetjmp(back, 1)) {
            volatile int zero = 0, one = 1;
            one = one / zero;
            _exit(4);
        }
        IS(last, SIGFPE);
    }
    return NULL;
}

int main(void)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    OK(sigaction(SIGSEGV, &sa, NULL));
    OK(sigaction(SIGFPE, &sa, NULL));
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TRUE(page != MAP_FAILED);
    pthread_t t = start(faults, NULL);
    faults(NULL);
    join(t);
    return 0;
}
