/* Locks with timeouts of each kind, tried again until they are held
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t s;
static int a, b, c;

static struct timespec soon(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += 1000;
    if (t.tv_nsec >= 1000000000)
        t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

static void *worker(void *arg)
{
    struct timespec t;
    do
        t = soon(CLOCK_MONOTONIC);
    while (pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t));
    a++;
    pthread_mutex_unlock(&m);
    do
        t = soon(CLOCK_REALTIME);
    while (pthread_rwlock_timedwrlock(&l, &t));
    b++;
    pthread_rwlock_unlock(&l);
    while (pthread_spin_trylock(&s))
        sched_yield();
    c++;
    pthread_spin_unlock(&s);
    return arg;
}

int main(void)
{
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    run_both(worker, worker);
    return a != 2 || b != 2 || c != 2;
}
