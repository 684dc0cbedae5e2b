/* A timer's handler frees and allocates beside a program that does
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    H1-H1
 * class:    fails
 * finding:  handler
 */
#include "threads.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

static void *volatile block;

static void on_alarm(int sig)
{
    free(block); /* H1 */
    block = NULL;
}

static void *work(void *arg) { return arg; }

int main(void)
{
    struct itimerval once = {.it_value = {0, 100}};
    block = malloc(10);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &once, NULL);
    run_both(work, work);
    while (block) {
        void *p = malloc(20);
        free(p);
    }
    return 0;
}
