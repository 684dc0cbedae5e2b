/* Mappings come and go in both threads, at the same addresses; blocks as well
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdlib.h>
#include <sys/mman.h>

static void *work(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        int *block = malloc(64);
        page[i] = 1;
        block[i] = page[i];
        munmap(page, 4096);
        free(block);
    }
    return arg;
}

int main(void)
{
    run_both(work, work);
    return 0;
}
