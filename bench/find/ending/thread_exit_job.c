/* A thread ends the process; a job beside it checks a flag and acts on it later
 * cause:    check and act are two steps; exit() comes from another thread
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   2000 runs
 * strategy: random,pct,pos
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static int slots[2];
static _Atomic(int *) current = slots;
static atomic_int steps;

static void *job(void *arg)
{
    for (int i = 0; i < 3; i++) {
        atomic_fetch_add(&steps, 1);
        if (atomic_load(&current))
            (*atomic_load(&current))++;
    }
    return arg;
}

static void *reset(void *arg)
{
    atomic_fetch_add(&steps, 1);
    atomic_store(&current, NULL);
    atomic_fetch_add(&steps, 1);
    atomic_store(&current, slots + 1);
    return arg;
}

static void *quit(void *arg) { exit(0); }

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, job, NULL);
    pthread_create(&t, NULL, reset, NULL);
    pthread_create(&t, NULL, quit, NULL);
    pthread_exit(NULL);
}
