/* A handler of exit() reads what a detached thread still writes
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <stdlib.h>

static int n;

static void report(void)
{
    printf("%d\n", n); /* R1 */
}

static void *worker(void *arg)
{
    n = 1; /* R2 */
    return arg;
}

int main(void)
{
    pthread_t t;
    atexit(report);
    pthread_create(&t, NULL, worker, NULL);
    pthread_detach(t);
    return 0;
}
