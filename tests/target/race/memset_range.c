/* memset over an array whose middle another thread reads
 * build:    gcc -g -O0 -fsanitize=thread -fno-builtin
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <string.h>

static char map[64] = {[40] = 1};

static void *eraser(void *arg)
{
    memset(map, 0, sizeof map); /* R1 */
    return arg;
}

static void *reader(void *arg)
{
    printf("%d\n", map[40]); /* R2 */
    return arg;
}

int main(void)
{
    run_both(eraser, reader);
    return 0;
}
