/* A counter without a lock that nobody prints: only memory shows what comes of it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R1
 * class:    changes
 * result:   `hits` is 1 at the end
 */
#include "threads.h"

static int hits;

static void *one(void *arg)
{
    hits = hits + 1; /* R1 */
    return arg;
}

int main(void)
{
    run_both(one, one);
    puts("done");
    return 0;
}
