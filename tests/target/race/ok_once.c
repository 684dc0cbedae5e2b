/* Initialised by pthread_once
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n;

static void init(void) { n = 4; }

static void *one(void *arg)
{
    pthread_once(&once, init);
    printf("%d\n", n);
    return arg;
}

int main(void)
{
    run_both(one, one);
    return 0;
}
