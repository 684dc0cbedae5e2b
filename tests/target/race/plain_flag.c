/* Two fields behind a flag that is no atomic; the flag is looked at twice
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2 R3-R4 R5-R6
 * class:    any
 */
#include "threads.h"

static int is_ready, width, height;
static volatile int area;

static void *fill(void *arg)
{
    width = 3; /* R3 */
    height = 4; /* R5 */
    is_ready = 1; /* R1 */
    return arg;
}

static void *use(void *arg)
{
    if (!is_ready) /* R2 */
        return arg;
    area = width; /* R4 */
    area *= height; /* R6 */
    return arg;
}

int main(void)
{
    run_both(fill, use);
    return 0;
}
