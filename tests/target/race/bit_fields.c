/* Two bit-fields of one word
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"

static struct {
    unsigned a : 4, b : 4;
} bits;

static void *one(void *arg)
{
    bits.a = 3; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    bits.b = 5; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%u %u\n", bits.a, bits.b);
    return 0;
}
