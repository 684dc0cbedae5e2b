/* A timer that starts a thread (SIGEV_THREAD): data was written before it was armed
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

static int data, seen;
static sem_t done;

static void tick(union sigval v)
{
    seen = data + v.sival_int;
    sem_post(&done);
}

int main(void)
{
    timer_t t;
    struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = tick, .sigev_value.sival_int = 1};
    struct itimerspec when = {.it_value = {0, 1000000}};
    sem_init(&done, 0, 0);
    if (timer_create(CLOCK_MONOTONIC, &e, &t))
        return 1;
    data = 8;
    timer_settime(t, 0, &when, NULL);
    while (sem_wait(&done))
        ;
    timer_delete(t);
    return seen != 9;
}
