/* pthread_kill(): the handler sees what was written before; its answer comes back by an atomic
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

static int question, answer;
static atomic_int answered, asked_ready;

static void handler(int sig)
{
    (void)sig;
    answer = question * 2;
    atomic_store_explicit(&answered, 1, memory_order_release);
}

static void *target(void *arg)
{
    atomic_store(&asked_ready, 1);
    while (!atomic_load_explicit(&answered, memory_order_acquire))
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t t;
    struct sigaction sa = {.sa_handler = handler};
    sigaction(SIGUSR1, &sa, NULL);
    pthread_create(&t, NULL, target, NULL);
    while (!atomic_load(&asked_ready))
        sched_yield();
    question = 21;
    pthread_kill(t, SIGUSR1);
    while (!atomic_load_explicit(&answered, memory_order_acquire))
        sched_yield();
    int a = answer;
    pthread_join(t, NULL);
    return a != 42;
}
