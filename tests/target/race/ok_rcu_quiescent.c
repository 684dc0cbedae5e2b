/* RCU by quiescent states: readers announce epochs with fences, the writer waits for each
 * build:    clang -shared-libsan -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads.h"

struct conf {
    int a, b;
};
static _Atomic(struct conf *) current;
static atomic_ulong global = 1;
static atomic_ulong seen[2]; /* 0: not reading any more */

static void quiescent(int me)
{
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&seen[me], atomic_load_explicit(&global, memory_order_relaxed), memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
}

static void *reader(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 3; i++) {
        struct conf *c = atomic_load_explicit(&current, memory_order_acquire);
        if (c->a + c->b != 10)
            abort();
        quiescent(me);
    }
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&seen[me], 0, memory_order_release);
    return NULL;
}

static void synchronize(void)
{
    unsigned long now = atomic_fetch_add(&global, 1) + 1;
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < 2; i++) {
        unsigned long s;
        while ((s = atomic_load_explicit(&seen[i], memory_order_relaxed)) != 0 && s < now)
            sched_yield();
    }
    atomic_thread_fence(memory_order_seq_cst);
}

int main(void)
{
    pthread_t t[2];
    struct conf *c = malloc(sizeof *c);
    c->a = 4, c->b = 6;
    atomic_store(&current, c);
    for (long i = 0; i < 2; i++) {
        atomic_store(&seen[i], 1);
        pthread_create(&t[i], NULL, reader, (void *)i);
    }
    for (int i = 0; i < 2; i++) {
        struct conf *n = malloc(sizeof *n), *old = atomic_load_explicit(&current, memory_order_relaxed);
        n->a = i, n->b = 10 - i;
        atomic_store_explicit(&current, n, memory_order_release);
        synchronize();
        old->a = old->b = 0;
        free(old);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(atomic_load(&current));
    return 0;
}
