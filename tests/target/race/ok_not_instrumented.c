/* A counter in code without instrumentation
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static int n;

__attribute__((no_sanitize("thread"))) static void bump(void) { __atomic_store_n(&n, n + 1, __ATOMIC_SEQ_CST); }

static void *one(void *arg)
{
    bump();
    return arg;
}

int main(void)
{
    run_both(one, one);
    return 0;
}
