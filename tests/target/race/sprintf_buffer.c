/* sprintf into a buffer that another thread prints
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static char text[32] = "nothing";

static void *writer(void *arg)
{
    sprintf(text, "%d items", 12); /* R1 */
    return arg;
}

static void *reader(void *arg)
{
    printf("%c\n", text[3]); /* R2 */
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
