/* A block that must be atomic reads two variables; what another thread writes in the opposite order
 * fits before and after it
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <heddle/heddle.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *reader(void *arg)
{
    heddle_atomic_begin();
    int a = atomic_load(&x);
    int b = atomic_load(&y);
    heddle_atomic_end();
    return a > b ? arg : NULL;
}

static void *writer(void *arg)
{
    atomic_store(&y, 1);
    atomic_store(&x, 1);
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return 0;
}
