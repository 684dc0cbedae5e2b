/* The first write faults, the handler makes the page writable, and both writes happen
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static int *page;

static void on_fault(int signo) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }

static void *one(void *arg)
{
    *page = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    *page = 2; /* R2 */
    return arg;
}

int main(void)
{
    struct sigaction act = {.sa_handler = on_fault};
    pthread_t t[2];
    sigaction(SIGSEGV, &act, NULL);
    page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&t[0], NULL, one, NULL);
    pthread_create(&t[1], NULL, two, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", *page);
    return 0;
}
