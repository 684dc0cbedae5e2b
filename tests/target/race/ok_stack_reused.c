/* Detached threads come and go: the next one gets the stack and the thread-local memory of the last one,
 * with nothing in the program that orders the two
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "threads.h"

static atomic_int gone;
static __thread int mine[16];

static void fill(int *to, int value)
{
    for (int i = 0; i < 16; i++)
        to[i] = value;
}

static void *work(void *arg)
{
    int local[16];
    int me = (int)(long)arg;
    fill(local, me);
    fill(mine, me);
    if (memcmp(local, mine, sizeof local))
        abort();
    atomic_fetch_add_explicit(&gone, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < 4; i++) {
        pthread_t t;
        if (pthread_create(&t, &a, work, (void *)i))
            return 1;
        if (i % 2)
            sched_yield();
    }
    while (atomic_load_explicit(&gone, memory_order_relaxed) != 4)
        sched_yield();
    return 0;
}
