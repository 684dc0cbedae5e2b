/* A value that is read and thrown away: no difference to be seen
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    same
 */
#include "threads.h"

static int level;

static void *one(void *arg)
{
    level = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    int sink = level; /* R2 */
    (void)sink;
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
