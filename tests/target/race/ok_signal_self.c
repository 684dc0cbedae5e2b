/* A handler that runs in the thread it interrupts
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <signal.h>

static int n;

static void on_signal(int sig) { n++; }

static void *one(void *arg)
{
    raise(SIGUSR1);
    return arg;
}

static void *two(void *arg)
{

    return arg;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    run_both(one, two);
    printf("%d\n", n);
    return 0;
}
