/* An array is read while qsort sorts it: the comparison function reads, too, and the one
 * that looks on writes
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <stdlib.h>

static int all[4] = {3, 1, 2, 0};

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b; /* R1 */
}

static void *sorter(void *arg)
{
    qsort(all, 4, sizeof *all, compare);
    return arg;
}

static void *writer(void *arg)
{
    all[1] = 9; /* R2 */
    return arg;
}

int main(void)
{
    run_both(sorter, writer);
    printf("%d\n", all[3]);
    return 0;
}
