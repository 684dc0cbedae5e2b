/* Chase-Lev deque with the orders of the paper for C11
 * cause:    none: a work-stealing deque with the fences of the paper
 * build:    gcc -g -O2 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#define N 6
static int values[N];
static _Atomic(int *) slots[8];
static atomic_long top, bottom;
static atomic_int taken;
static void push(int *p)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&slots[b & 7], p, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}
static int *take(void)
{
    long b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    long t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t > b) {
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
        return NULL;
    }
    int *p = atomic_load_explicit(&slots[b & 7], memory_order_relaxed);
    if (t == b) {
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            p = NULL;
        atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    }
    return p;
}
static int *steal(void)
{
    long t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b)
        return NULL;
    int *p = atomic_load_explicit(&slots[t & 7], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return NULL;
    return p;
}
static void use(int *p)
{
    assert(*p > 0);
    *p = -*p;
    atomic_fetch_add(&taken, 1);
}
static void *thief(void *arg)
{
    for (int i = 0; i < 4; i++) {
        int *p = steal();
        if (p)
            use(p);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, thief, NULL);
    pthread_create(&b, NULL, thief, NULL);
    for (int i = 0; i < N; i++) {
        values[i] = i + 1;
        push(&values[i]);
        if (i % 2) {
            int *p = take();
            if (p)
                use(p);
        }
    }
    for (int *p; (p = take());)
        use(p);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(atomic_load(&taken) == N);
    return 0;
}
