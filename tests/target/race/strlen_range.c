/* A string that grows while it is measured
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <string.h>

static char text[16] = "ab";
static unsigned long n;

static void *one(void *arg)
{
    text[1] = 0; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    n = strlen(text); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%lu\n", n);
    return 0;
}
