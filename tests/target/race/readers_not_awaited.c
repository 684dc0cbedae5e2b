/* Readers say that they read; the writer looks at another reader's mark before it changes what they read
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include <stdatomic.h>

#include "threads.h"

static atomic_int reading[2];
static int data = 1;

static void *reader(void *arg)
{
    atomic_store(&reading[1], 1);
    printf("%d\n", data); /* R1 */
    atomic_store(&reading[1], 0);
    return arg;
}

static void *writer(void *arg)
{
    while (atomic_load(&reading[0])) /* not [1] */
        ;
    data = 2; /* R2 */
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return 0;
}
