/* Two plain writes
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static int last;

static void *one(void *arg)
{
    last = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    last = 2; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("last %d\n", last);
    return 0;
}
