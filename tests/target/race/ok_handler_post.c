/* A handler writes a result and posts a semaphore; relaxed flags are looked at besides
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static sem_t s;
static int result;
static atomic_int seen;

static void handler(int sig)
{
    result = sig;
    atomic_store_explicit(&seen, 1, memory_order_relaxed);
    sem_post(&s);
}

static void *raiser(void *arg)
{
    raise(SIGUSR2);
    return arg;
}

static void *waiter(void *arg)
{
    while (!atomic_load_explicit(&seen, memory_order_relaxed))
        sched_yield();
    while (sem_wait(&s))
        ;
    if (result != SIGUSR2)
        abort();
    return arg;
}

int main(void)
{
    sem_init(&s, 0, 0);
    signal(SIGUSR2, handler);
    run_both(raiser, waiter);
    return 0;
}
