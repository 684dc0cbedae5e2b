/* A callback is looked at and called in two places; it is taken away in between
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R1-R3 R1-R4 R1-R5
 * class:    any
 */
#include "threads.h"

static volatile int *counter;
static int place;

static void *tick(void *arg)
{
    if (counter) /* R2 */
        ++*counter; /* R3 */
    if (counter) /* R4 */
        --*counter; /* R5 */
    return arg;
}

static void *stop(void *arg)
{
    counter = NULL; /* R1 */
    return arg;
}

int main(void)
{
    counter = &place;
    run_both(tick, stop);
    return 0;
}
