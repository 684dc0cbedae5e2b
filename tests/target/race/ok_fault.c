/* Two threads ask whether a page can be written, by writing to it: no write ever happens
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

static __thread sigjmp_buf back;
static int *page;

static void on_fault(int signo) { siglongjmp(back, 1); }

static void *probe(void *arg)
{
    if (!sigsetjmp(back, 1)) {
        *page = 1;
        assert(0);
    }
    return arg;
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_fault};
    pthread_t t[2];
    sigaction(SIGSEGV, &act, NULL);
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, probe, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
