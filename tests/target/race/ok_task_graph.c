/* A graph of tasks: who finishes the last task before one runs it; results are plain
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

/* 0 and 1 are free; 2 needs both; 3 needs 1; 4 needs 2 and 3. */
static atomic_int missing[5] = {0, 0, 2, 1, 2};
static const int after[5][3] = {{2, -1}, {2, 3, -1}, {4, -1}, {4, -1}, {-1}};
static int result[5];

static void run(int task)
{
    switch (task) {
    case 0: result[0] = 1; break;
    case 1: result[1] = 2; break;
    case 2: result[2] = result[0] + result[1]; break;
    case 3: result[3] = 10 * result[1]; break;
    default: result[4] = result[2] + result[3];
    }
    for (int i = 0; after[task][i] >= 0; i++)
        if (atomic_fetch_sub_explicit(&missing[after[task][i]], 1, memory_order_acq_rel) == 1)
            run(after[task][i]);
}

static void *first(void *arg)
{
    run(0);
    return arg;
}

static void *second(void *arg)
{
    run(1);
    return arg;
}

int main(void)
{
    run_both(first, second);
    if (result[4] != 23)
        abort();
    return 0;
}
