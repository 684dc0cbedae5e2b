/* A timer's function, in a thread of its own, and the program
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    R1-R2
 * class:    any
 */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "threads.h"

static int ticks;

static void on_tick(union sigval v)
{
    ticks = ticks + 1; /* R1 */
}

int main(void)
{
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_tick};
    struct itimerspec when = {.it_value = {0, 1000000}};
    timer_t t;
    timer_create(CLOCK_MONOTONIC, &ev, &t);
    timer_settime(t, 0, &when, NULL);
    usleep(2000);
    printf("%d\n", ticks); /* R2 */
    timer_delete(t);
    return 0;
}
