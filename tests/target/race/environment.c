/* The environment is changed while another thread looks something up in it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <stdlib.h>

#include "threads.h"

static void *one(void *arg)
{
    setenv("HEDDLE_TEST_LEVEL", "2", 1); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    const char *level = getenv("HEDDLE_TEST_LEVEL"); /* R2 */
    printf("level %s\n", level ? level : "none");
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
