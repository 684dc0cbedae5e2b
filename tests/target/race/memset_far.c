/* A place far behind the beginning of a range that memset fills
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <string.h>

static char to[4096];

static void *one(void *arg)
{
    printf("%d\n", to[3000]); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    memset(to, 1, sizeof to); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
