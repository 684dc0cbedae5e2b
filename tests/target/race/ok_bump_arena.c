/* Pieces of one array are given out by a relaxed counter: each is written by one thread, and the array is
 * read after the join
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

static char arena[64];
static atomic_uint used;

static char *take(unsigned n)
{
    unsigned at = atomic_fetch_add_explicit(&used, n, memory_order_relaxed);
    return at + n <= sizeof arena ? arena + at : NULL;
}

static void *work(void *arg)
{
    for (unsigned n = 1; n < 6; n++) {
        char *p = take(n);
        if (p)
            memset(p, 'a' + (int)n, n);
        if (p && memchr(p, 0, n))
            abort();
    }
    return arg;
}

int main(void)
{
    run_both(work, work);
    unsigned n = 0;
    while (n < sizeof arena && arena[n])
        n++;
    return n != 30;
}
