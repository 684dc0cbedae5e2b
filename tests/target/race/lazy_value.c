/* A value computed by whoever comes first
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    same
 */
#include "threads.h"

static int value;

static int get(void)
{
    int v = value; /* R1 */
    if (!v)
        value = v = 6 * 7; /* R2 */
    return v;
}

static void *one(void *arg)
{
    get();
    return arg;
}

static void *two(void *arg)
{
    get();
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
