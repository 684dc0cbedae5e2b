/* An array is shifted while another thread counts in the part that is overwritten
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <string.h>

#include "threads.h"

static char line[32] = "abcdefghijklmnop";

static void *shift(void *arg)
{
    memmove(line + 1, line, 12); /* R1 */
    return arg;
}

static void *look(void *arg)
{
    printf("%c\n", line[12]); /* R2 */
    return arg;
}

int main(void)
{
    run_both(shift, look);
    return 0;
}
