/* Two threads that pop the last element of an array
 * cause:    array index out of range: bounds checked before another thread moves the index
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE 4096
static volatile int used;
static char *slot; /* right behind a page without access */

static void *pop(void *arg)
{
    if (used > 0) { /* A */
        int i = used - 1;
        used = i; /* B */
        slot[i] = 0;
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    char *pages = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE))
        abort();
    slot = pages + PAGE;
    slot[used++] = 'x';
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, pop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
