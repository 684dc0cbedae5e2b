/* A state and a counter in one word, changed by load and store, each atomic
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"

static struct {
    short state;
    char tag[2];
} word;

static void *one(void *arg)
{
    __atomic_store_n(&word.state, 1, __ATOMIC_RELEASE); /* R1 */
    return arg;
}

static void *two(void *arg)
{
    int all;
    __builtin_memcpy(&all, &word, sizeof all); /* R2 */
    printf("%d\n", all);
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
