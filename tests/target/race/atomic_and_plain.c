/* An atomic store and a plain read
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static int n;

static void *one(void *arg)
{
    __atomic_store_n(&n, 3, __ATOMIC_SEQ_CST); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
