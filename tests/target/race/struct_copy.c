/* A struct copied while a member is written
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

struct point {
    long x, y, z;
};
static struct point p, copy;

static void *one(void *arg)
{
    p.y = 4; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    copy = p; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("y %ld\n", copy.y);
    return 0;
}
