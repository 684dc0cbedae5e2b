/* A block is freed while another thread still reads it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    fails
 * finding:  heap
 */
#include "threads.h"
#include <stdlib.h>

static int *block;

static void *reader(void *arg)
{
    printf("%d\n", *block); /* R1 */
    return arg;
}

static void *owner(void *arg)
{
    free(block); /* R2 */
    return arg;
}

int main(void)
{
    block = malloc(sizeof *block);
    *block = 1;
    run_both(reader, owner);
    return 0;
}
