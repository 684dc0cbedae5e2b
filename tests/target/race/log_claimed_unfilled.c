/* A place in the log is claimed by an atomic counter and filled afterwards; who flushes reads up to the counter
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <stdatomic.h>

#include "threads.h"

static int entry[8];
static atomic_int claimed;

static void *writer(void *arg)
{
    int at = atomic_fetch_add(&claimed, 1);
    entry[at] = 7; /* R1 */
    return arg;
}

static void *flush(void *arg)
{
    int sum = 0, n = atomic_load(&claimed);
    for (int i = 0; i < n; i++)
        sum += entry[i]; /* R2 */
    printf("%d of %d\n", sum, n);
    return arg;
}

int main(void)
{
    run_both(writer, flush);
    return 0;
}
