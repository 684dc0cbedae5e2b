/* A member of a heap block
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <stdlib.h>

struct job {
    int state, result;
};
static struct job *job;

static void *one(void *arg)
{
    job->result = 9; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    printf("%d\n", job->result); /* R2 */
    return arg;
}

int main(void)
{
    job = calloc(1, sizeof *job);
    run_both(one, two);
    free(job);
    return 0;
}
