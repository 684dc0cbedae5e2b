/* clock_gettime() fills a structure that another thread reads
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <time.h>

#include "threads.h"

static struct timespec now;
static int out;

static void *tick(void *arg)
{
    clock_gettime(CLOCK_MONOTONIC, &now); /* R1 */
    return arg;
}

static void *use(void *arg)
{
    out = now.tv_sec > 0; /* R2 */
    return arg;
}

int main(void)
{
    run_both(tick, use);
    printf("%d\n", out);
    return 0;
}
