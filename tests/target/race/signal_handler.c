/* A handler that runs in one thread changes what another one reads
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include "threads.h"
#include <signal.h>

static int n;

static void on_signal(int s)
{
    n = s; /* R1 */
}

static void *sender(void *arg)
{
    raise(SIGUSR1);
    return arg;
}

static void *reader(void *arg)
{
    printf("%d\n", n); /* R2 */
    return arg;
}

int main(void)
{
    signal(SIGUSR1, on_signal);
    run_both(sender, reader);
    return 0;
}
