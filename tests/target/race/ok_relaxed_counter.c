/* A relaxed counter that only the join makes final
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <stdatomic.h>

static _Atomic int n;

static void *one(void *arg)
{
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    run_both(one, one);
    printf("%d\n", atomic_load_explicit(&n, memory_order_relaxed));
    return 0;
}
