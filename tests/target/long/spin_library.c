/* A list behind a spin lock in assembly is read without it at the end
 * cause: the last look at the list does not take the lock
 * build: gcc -g -O1 -fsanitize=thread
 * expect: assert
 * warm: 3000 insertions
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#ifndef WARM
#define WARM 3000
#endif

/* A library would be compiled without instrumentation. */
static int word;
__attribute__((no_sanitize("thread"), noinline)) static void spin_lock(int *l)
{
    int taken = 1;
    for (;;) {
        __asm__ volatile("xchg %0, %1" : "+r"(taken), "+m"(*l) : : "memory");
        if (!taken)
            return;
        while (__atomic_load_n(l, __ATOMIC_RELAXED))
            __asm__ volatile("pause");
    }
}
__attribute__((no_sanitize("thread"), noinline)) static void spin_unlock(int *l)
{
    __asm__ volatile("movl $0, %0" : "=m"(*l) : : "memory");
}

static volatile long head, size;
static atomic_int is_done;

static void insert(long x)
{
    spin_lock(&word);
    head = x;
    size++;
    spin_unlock(&word);
}

static void *writer(void *arg)
{
    for (long i = 1; i <= WARM; i++)
        insert(i);
    atomic_store(&is_done, 1);
    spin_lock(&word); /* the last entry */
    head = WARM + 1;
    size++;
    spin_unlock(&word);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (!atomic_load(&is_done))
        sched_yield();
    long h = head, n = size; /* BUG */
    assert(h == n);
    pthread_join(t, NULL);
    return 0;
}
