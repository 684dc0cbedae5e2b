/* A work-stealing deque, done right
 * cause:    none: the last item is taken by compare-exchange on the top, by owner and thief alike
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 6
static _Atomic long top, bottom;
static _Atomic int item[ITEMS], taken[ITEMS + 1];

static void push(int v)
{
    long b = atomic_load(&bottom);
    atomic_store(&item[b % ITEMS], v);
    atomic_store(&bottom, b + 1);
}

static int pop(void)
{
    long b = atomic_load(&bottom) - 1;
    atomic_store(&bottom, b);
    long t = atomic_load(&top);
    if (t > b) {
        atomic_store(&bottom, b + 1);
        return 0;
    }
    int v = atomic_load(&item[b % ITEMS]);
    if (t == b) {
        if (!atomic_compare_exchange_strong(&top, &t, t + 1))
            v = 0;
        atomic_store(&bottom, b + 1);
    }
    return v;
}

static int steal(void)
{
    long t = atomic_load(&top), b = atomic_load(&bottom);
    if (t >= b)
        return 0;
    int v = atomic_load(&item[t % ITEMS]);
    return atomic_compare_exchange_strong(&top, &t, t + 1) ? v : 0;
}

static void *thief(void *arg)
{
    for (int i = 0; i < 4; i++)
        taken[steal()]++;
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, thief, NULL);
    for (int i = 1; i <= ITEMS; i++) {
        push(i);
        if (i % 2 == 0)
            taken[pop()]++;
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int v; (v = pop());)
        taken[v]++;
    for (int i = 1; i <= ITEMS; i++)
        assert(taken[i] == 1);
    return 0;
}
