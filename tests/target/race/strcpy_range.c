/* strcpy into a name that another thread compares
 * build:    gcc -g -O0 -fsanitize=thread -fno-builtin
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <string.h>

static char name[16] = "none";

static void *writer(void *arg)
{
    strcpy(name, "someone"); /* R1 */
    return arg;
}

static void *reader(void *arg)
{
    printf("%d\n", strcmp(name, "none") == 0); /* R2 */
    return arg;
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
