/* Two blocks that must be atomic come to two variables in opposite orders, one between the accesses
 * of the other
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * crossed:  R1-R2-R3-R4/R2-R1-R4-R3
 */
#include "threads.h"
#include <heddle/heddle.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *reader(void *arg)
{
    heddle_atomic_begin();
    int a = atomic_load(&x); /* R1 */
    int b = atomic_load(&y); /* R4 */
    heddle_atomic_end();
    return a > b ? arg : NULL;
}

static void *writer(void *arg)
{
    heddle_atomic_begin();
    atomic_store(&y, 1); /* R2 */
    atomic_store(&x, 1); /* R3 */
    heddle_atomic_end();
    return arg;
}

int main(void)
{
    run_both(reader, writer);
    return 0;
}
