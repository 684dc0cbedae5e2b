/* A counter of calls orders the two in most runs
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <stdatomic.h>
#include <unistd.h>

static int n;
static _Atomic int calls;

static void *one(void *arg)
{
    n = 1; /* R1 */
    atomic_fetch_add(&calls, 1);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    atomic_fetch_add(&calls, 1);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
