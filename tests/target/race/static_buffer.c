/* A function that answers in a static buffer
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   `answer::buf[0]` is 49 at the end
 */
#include "threads.h"

static char *answer(int n)
{
    static char buf[8];
    buf[0] = (char)('0' + n); /* R1 */
    return buf;
}

static void *one(void *arg)
{
    answer(1);
    return arg;
}

static void *two(void *arg)
{
    answer(2);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
