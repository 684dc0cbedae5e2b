/* A lock for readers and writers of tickets, by phases, of atomics alone
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * races:    none
 */
#include <sched.h>
#include <stdatomic.h>

#include "threads.h"

enum { READER = 4, WRITER = 2, PHASE = 1 };
static atomic_uint in, out;        /* readers, with the bits of a writer */
static atomic_uint next, serving;  /* writers */
static int a, b;

static void read_lock(void)
{
    unsigned w = atomic_fetch_add_explicit(&in, READER, memory_order_acquire) & 3;
    while (w && w == (atomic_load_explicit(&in, memory_order_acquire) & 3))
        sched_yield();
}
static void read_unlock(void) { atomic_fetch_add_explicit(&out, READER, memory_order_release); }

static void write_lock(void)
{
    unsigned ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != ticket)
        sched_yield();
    unsigned r = atomic_fetch_add_explicit(&in, WRITER | (ticket & PHASE), memory_order_acquire) & ~3u;
    while ((atomic_load_explicit(&out, memory_order_acquire) & ~3u) != r)
        sched_yield();
}
static void write_unlock(void)
{
    atomic_fetch_and_explicit(&in, ~3u, memory_order_release);
    atomic_fetch_add_explicit(&serving, 1, memory_order_release);
}

static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        write_lock();
        a++, b--;
        write_unlock();
    }
    return arg;
}

static void *reader(void *arg)
{
    for (int i = 0; i < 2; i++) {
        read_lock();
        if (a + b)
            return (void *)1;
        read_unlock();
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    run_both(reader, writer);
    pthread_join(t, NULL);
    return a != 4;
}
