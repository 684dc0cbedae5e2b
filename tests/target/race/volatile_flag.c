/* A volatile variable is no atomic
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 * result:   `seen` is 0 at the end
 */
#include "threads.h"

static volatile int is_done;
static int seen;

static void *one(void *arg)
{
    is_done = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    seen = is_done; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
