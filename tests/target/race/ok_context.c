/* A context of makecontext() that two threads continue in turn, under a lock
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>
#include <ucontext.h>

#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t inner, outer;
static int steps;
static char *stack;

static void body(void)
{
    for (;;) {
        steps++;
        swapcontext(&inner, &outer);
    }
}

static void *worker(void *arg)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        swapcontext(&outer, &inner);
        pthread_mutex_unlock(&m);
    }
    return arg;
}

int main(void)
{
    stack = malloc(65536);
    getcontext(&inner);
    inner.uc_stack.ss_sp = stack;
    inner.uc_stack.ss_size = 65536;
    makecontext(&inner, body, 0);
    run_both(worker, worker);
    free(stack);
    return steps != 4;
}
