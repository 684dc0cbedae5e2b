/* A block that must be atomic reads a variable twice
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * between:  R1-R2-R3
 */
#include "threads.h"
#include <heddle/heddle.h>
#include <stdatomic.h>

static atomic_int n;

static void *reader(void *arg)
{
    heddle_atomic_begin();
    int a = atomic_load(&n); /* R1 */
    int b = atomic_load(&n); /* R3 */
    heddle_atomic_end();
    return a > b ? arg : NULL;
}

static void *writer(void *arg)
{
    atomic_store(&n, 1); /* R2 */
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return 0;
}
