/* A block that must be atomic writes a variable twice, and somebody sees it half done
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * between:  R1-R2-R3
 */
#include "threads.h"
#include <heddle/heddle.h>
#include <stdatomic.h>

static atomic_int state;

static void *writer(void *arg)
{
    heddle_atomic_begin();
    atomic_store(&state, 1); /* R1 */
    atomic_store(&state, 2); /* R3 */
    heddle_atomic_end();
    return arg;
}

static void *reader(void *arg)
{
    return atomic_load(&state) > 2 ? arg : NULL; /* R2 */
}

int main(void)
{
    run_both(writer, reader);
    return 0;
}
