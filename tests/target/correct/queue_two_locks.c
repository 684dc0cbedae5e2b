/* A linked queue with one lock for each end
 * cause:    none: a dummy node keeps the ends apart; the link between them is atomic
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   none
 * races:    none
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};
static struct node *head, *tail;
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER, tail_lock = PTHREAD_MUTEX_INITIALIZER;

static void put(int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->value = value;
    pthread_mutex_lock(&tail_lock);
    atomic_store_explicit(&tail->next, n, memory_order_release);
    tail = n;
    pthread_mutex_unlock(&tail_lock);
}

static int get(int *value)
{
    pthread_mutex_lock(&head_lock);
    struct node *old = head, *n = atomic_load_explicit(&old->next, memory_order_acquire);
    if (n) {
        *value = n->value;
        head = n;
    }
    pthread_mutex_unlock(&head_lock);
    if (n)
        free(old);
    return n != NULL;
}

static void *producer(void *arg)
{
    for (int i = 1; i <= 4; i++)
        put(i);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int sum = 0, value;
    head = tail = calloc(1, sizeof *head);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, producer, NULL);
    for (int got = 0; got < 8;)
        if (get(&value)) {
            sum += value;
            got++;
        } else {
            sched_yield();
        }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(sum == 20);
    free(head);
    return 0;
}
