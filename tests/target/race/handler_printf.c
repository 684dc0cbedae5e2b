/* A handler that prints comes while the program prints
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    H1-M1
 * class:    fails
 * finding:  handler
 */
#include "threads.h"
#include <signal.h>

static void on_signal(int sig)
{
    printf("signal %d\n", sig); /* H1 */
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
    printf("main\n"); /* M1 */
    pthread_join(t, NULL);
    return 0;
}
