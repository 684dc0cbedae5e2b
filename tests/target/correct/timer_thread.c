/* Timers that call functions in threads, created and deleted by two threads
 * cause:    none: every thread waits for its own ticks
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static void on_tick(union sigval v) { sem_post(v.sival_ptr); }

static void *worker(void *arg)
{
    static sem_t ticks[2]; /* calls may still come when the timer is deleted */
    sem_t *mine = &ticks[(long)arg];
    timer_t id;
    struct sigevent ev = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_tick};
    struct itimerspec every = {{0, 1000000}, {0, 1000000}};
    sem_init(mine, 0, 0);
    ev.sigev_value.sival_ptr = mine;
    assert(timer_create(CLOCK_MONOTONIC, &ev, &id) == 0);
    assert(timer_settime(id, 0, &every, NULL) == 0);
    for (int i = 0; i < 3; i++)
        sem_wait(mine);
    assert(timer_delete(id) == 0);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
