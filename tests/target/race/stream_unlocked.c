/* Two threads write to one stream without its lock
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#define _GNU_SOURCE
#include "threads.h"

static FILE *to;

static void *one(void *arg)
{
    putc_unlocked('a', to); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    fputs_unlocked("b", to); /* R2 */
    return arg;
}

int main(void)
{
    to = fopen("/dev/null", "w");
    run_both(one, two);
    fclose(to);
    return 0;
}
