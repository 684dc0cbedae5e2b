/* An index is checked against a length that another thread lowers, with the table
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static int length = 8;
static char *table;
static volatile char got;

static void *shrink(void *arg)
{
    length = 2; /* R1 */
    table = realloc(table, 2); /* R3 */
    return arg;
}

static void *look(void *arg)
{
    if (length > 5) /* R2 */
        got = table[5]; /* R4 */
    return arg;
}

int main(void)
{
    table = calloc(8, 1);
    run_both(shrink, look);
    free(table);
    return 0;
}
