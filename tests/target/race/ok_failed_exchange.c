/* A compare-exchange that always fails only reads: plain reads beside it are no race
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static int state = 3, other = 4;

static void *try_it(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int expected = 1;
        if (__atomic_compare_exchange_n(&state, &expected, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED) || expected != 3)
            abort();
        if (__sync_bool_compare_and_swap(&other, 5, 6))
            abort();
    }
    return arg;
}

static void *look(void *arg)
{
    if (state != 3 || other != 4)
        abort();
    if (__atomic_load_n(&state, __ATOMIC_RELAXED) != 3)
        abort();
    return arg;
}

int main(void)
{
    run_both(try_it, look);
    return 0;
}
