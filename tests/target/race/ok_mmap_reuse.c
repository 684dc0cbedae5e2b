/* A mapping is given up by one thread; another one gets the same address and knows nothing of the first
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "threads.h"

static void use(char c)
{
    for (int i = 0; i < 2; i++) {
        char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED)
            abort();
        p[0] = p[5000] = c;
        p = mremap(p, 8192, 16384, MREMAP_MAYMOVE);
        if (p == MAP_FAILED || p[5000] != c)
            abort();
        p[12000] = c;
        munmap(p + 4096, 4096);
        if (p[0] != c || p[12000] != c)
            abort();
        munmap(p, 4096);
        munmap(p + 8192, 8192);
    }
}

static void *one(void *arg) { use('a'); return arg; }
static void *two(void *arg) { use('b'); return arg; }

int main(void)
{
    run_both(one, two);
    return 0;
}
