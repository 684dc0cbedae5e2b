/* A library counts who initialized it: the second one goes on while the first is still at it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <stdatomic.h>

#include "threads.h"

static atomic_int users;
static int table[4];

static void initialize(void)
{
    if (atomic_fetch_add(&users, 1))
        return;
    for (int i = 0; i < 4; i++)
        table[i] = i + 1; /* R1 */
}

static void *use(void *arg)
{
    initialize();
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += table[i]; /* R2 */
    return sum >= 0 ? arg : (void *)1;
}

int main(void)
{
    run_both(use, use);
    return 0;
}
