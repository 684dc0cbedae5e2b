/* A handler whose call fails leaves its errno to the code it interrupts
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    H1-H1
 * class:    fails
 * finding:  handler
 */
#include "threads.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static int steps;

static void on_signal(int sig)
{ /* H1 */
    close(-1);
}

static void *sender(void *arg)
{
    steps++;
    pthread_kill(*(pthread_t *)arg, SIGUSR1);
    return arg;
}

int main(void)
{
    pthread_t self = pthread_self(), t;
    signal(SIGUSR1, on_signal);
    pthread_create(&t, NULL, sender, &self);
    long r = sysconf(-1);
    steps++;
    if (r < 0 && errno != EINVAL)
        printf("errno %d\n", errno);
    pthread_join(t, NULL);
    return 0;
}
