/* A block is moved by realloc while another thread writes to it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include "threads.h"
#include <stdlib.h>

static int *block, *grown;

static void *writer(void *arg)
{
    block[1] = 2; /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    grown = realloc(block, 4096); /* R2 */
    return arg;
}

int main(void)
{
    block = calloc(4, sizeof *block);
    run_both(writer, owner);
    printf("%d\n", grown[1]);
    free(grown);
    return 0;
}
