/* A vector of 32 bytes is stored while one of its elements is read
 * build:    gcc -g -O1 -mavx -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

typedef float v8 __attribute__((vector_size(32)));
static v8 row;
static float out;

static void *store(void *arg)
{
    row = (v8){1, 2, 3, 4, 5, 6, 7, 8}; /* R1 */
    return arg;
}

static void *use(void *arg)
{
    out = ((volatile float *)&row)[5]; /* R2 */
    return arg;
}

int main(void)
{
    run_both(store, use);
    printf("%g\n", (double)out);
    return 0;
}
