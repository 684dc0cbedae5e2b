/* A place far behind the beginning of a range that memcpy reads
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <string.h>

static char from[4096], to[4096];

static void *one(void *arg)
{
    from[3000] = 1; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    memcpy(to, from, sizeof to); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", to[3000]);
    return 0;
}
