/* Two views of the same bytes
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static union {
    unsigned word;
    unsigned char byte[4];
} u;

static void *one(void *arg)
{
    u.word = 0x01020304; /* R1 */
    return arg;
}

static void *two(void *arg)
{
    u.byte[3] = 9; /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    printf("%x\n", u.word);
    return 0;
}
