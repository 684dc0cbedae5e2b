/* Whoever comes last frees a block, as a pointer that is no atomic says; both may
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R2-R3 R2-R2
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static char *buffer;

static void *drop(void *arg)
{
    char *mine = buffer; /* R3 */
    if (mine) {
        buffer = NULL; /* R2 */
        free(mine);
    }
    return arg;
}

int main(void)
{
    buffer = malloc(16);
    run_both(drop, drop);
    return 0;
}
