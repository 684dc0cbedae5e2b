/* Who comes first runs the routine of a once: that orders the two in one way in most runs
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    changes
 */
#include "threads.h"
#include <unistd.h>

static int n, ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    ready = 1;
}

static void *one(void *arg)
{
    n = 1; /* R1 */
    pthread_once(&once, init);
    return arg;
}

static void *two(void *arg)
{
    usleep(2000);
    pthread_once(&once, init);
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    run_both(one, two);
    return 0;
}
