/* Eight bytes written, one of them read
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static union {
    unsigned long all;
    unsigned char byte[8];
} u;

static void *one(void *arg)
{
    u.all = ~0ul; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    printf("%d\n", u.byte[5]); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
