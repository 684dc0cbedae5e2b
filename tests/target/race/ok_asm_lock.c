/* A lock in inline assembly, which no instrumentation sees
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>

#include "threads.h"

static int lock;
static int counter, copy;

static int swap(int *p, int v)
{
    __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p)::"memory");
    return v;
}

static void *worker(void *arg)
{
    for (int i = 0; i < 3; i++) {
        while (swap(&lock, 1))
            sched_yield();
        counter++;
        copy = counter;
        swap(&lock, 0);
    }
    return arg;
}

int main(void)
{
    run_both(worker, worker);
    return counter != 6 || copy != 6;
}
