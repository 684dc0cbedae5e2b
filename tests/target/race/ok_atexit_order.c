/* Handlers of exit() stop a thread and then print what it counted, in the reverse order
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdatomic.h>
#include <sched.h>
#include <stdlib.h>

#include "threads.h"

static pthread_t t;
static atomic_int stop;
static int counted, log_size;

static void *count(void *arg)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        counted++;
        sched_yield();
    }
    return arg;
}

static void show(void) { log_size = counted; }
static void stop_thread(void)
{
    atomic_store_explicit(&stop, 1, memory_order_relaxed);
    pthread_join(t, NULL);
}

int main(void)
{
    atexit(show);
    pthread_create(&t, NULL, count, NULL);
    atexit(stop_thread);
    exit(0);
}
