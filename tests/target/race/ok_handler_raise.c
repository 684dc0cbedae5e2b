/* A handler that prints; the program asks for its signal itself, and nobody else does
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include "threads.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static void on_signal(int sig)
{
    printf("signal %d\n", sig);
    free(malloc(10));
    close(-1);
}

static void *one(void *arg)
{
    raise(SIGUSR1);
    free(malloc(20));
    return arg;
}

static void *two(void *arg) { return arg; }

int main(void)
{
    signal(SIGUSR1, on_signal);
    run_both(one, two);
    printf("main\n");
    return 0;
}
