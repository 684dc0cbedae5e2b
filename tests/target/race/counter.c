/* A counter without a lock; nothing checks it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 */
#include "threads.h"

static int count;

static void *one(void *arg)
{
    count = count + 1; /* R1 */
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("count %d\n", count);
    return 0;
}
