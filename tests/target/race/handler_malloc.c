/* A handler that allocates comes while the program allocates
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    H1-M1
 * class:    fails
 * finding:  handler
 */
#include "threads.h"
#include <signal.h>
#include <stdlib.h>

static void *volatile from_handler;

static void on_signal(int sig)
{
    from_handler = malloc(16); /* H1 */
}

static void *sender(void *arg)
{
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t self = pthread_self(), t;
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, sender, &self);
    char *p = calloc(1, 100); /* M1 */
    p[0] = 1;
    pthread_join(t, NULL);
    return 0;
}
