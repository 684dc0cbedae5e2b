/* A stack whose nodes are freed behind hazard pointers
 * cause:    none: a node is freed when no thread points to it
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define N 3

struct node {
    struct node *next;
    int value;
};
static _Atomic(struct node *) top;
static struct {
    _Alignas(64) _Atomic(struct node *) at;
} hazard[N];
static atomic_int sum;

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = atomic_load(&top);
    while (!atomic_compare_exchange_weak(&top, &n->next, n))
        ;
}

static void pop(long me)
{
    struct node *n;
    do {
        n = atomic_load(&top);
        if (!n)
            return;
        atomic_store(&hazard[me].at, n);
    } while (atomic_load(&top) != n || !atomic_compare_exchange_strong(&top, &n, n->next));
    atomic_store(&hazard[me].at, NULL);
    atomic_fetch_add(&sum, n->value);
    for (int i = 0; i < N; i++)
        while (atomic_load(&hazard[i].at) == n)
            ;
    free(n);
}

static void *worker(void *arg)
{
    for (int i = 1; i <= 2; i++) {
        push(i);
        pop((long)arg);
    }
    return arg;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], NULL);
    while (atomic_load(&top))
        pop(0);
    assert(atomic_load(&sum) == N * 3);
    return 0;
}
