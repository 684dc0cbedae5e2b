/* Neighbouring bytes, and members of one word each
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static char byte[8];
static struct {
    short a, b;
} pair;

static void *one(void *arg)
{
    byte[0] = 1;
    pair.a = 1;
    return arg;
}

static void *two(void *arg)
{
    byte[1] = 2;
    pair.b = 2;
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%d\n", byte[0] + byte[1] + pair.a + pair.b);
    return 0;
}
