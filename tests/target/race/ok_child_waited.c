/* A child fills shared memory; one thread waits for it, another reads after a relaxed flag and the lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static int *shared, copy;

static void *parent(void *arg)
{
    siginfo_t info;
    pid_t p = fork();
    if (p == 0) {
        *shared = 9;
        _exit(0);
    }
    waitid(P_PID, (id_t)p, &info, WEXITED);
    pthread_mutex_lock(&m);
    copy = *shared;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *reader(void *arg)
{
    while (!atomic_load_explicit(&done, memory_order_relaxed))
        sched_yield();
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (copy != 9)
        abort();
    copy = 0;
    return arg;
}

int main(void)
{
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run_both(parent, reader);
    return copy;
}
