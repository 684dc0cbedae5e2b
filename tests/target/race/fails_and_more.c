/* One race makes an assertion fail; two others, on other variables, do nothing of the kind
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4 R5-R6
 * class:    any
 */
#include <assert.h>

#include "threads.h"

static int state, hits, last;

static void *work(void *arg)
{
    hits++; /* R3 */
    state = 1; /* R1 */
    state = 0;
    last = 1; /* R5 */
    return arg;
}

static void *check(void *arg)
{
    hits++; /* R4 */
    assert(state == 0); /* R2 */
    last = 2; /* R6 */
    return arg;
}

int main(void)
{
    run_both(work, check);
    printf("%d %d\n", hits, last);
    return 0;
}
