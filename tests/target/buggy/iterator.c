/* A list walk whose next node is taken out between two steps
 * cause:    iterator invalidation: the lock is given up between the steps
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   signal
 * budget:   200 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdint.h>

struct node {
    int value;
    struct node *next;
};
#define POISON ((struct node *)(uintptr_t)0x5a5a)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node c = {3, NULL}, b = {2, &c}, a = {1, &b};

static void *walker(void *arg)
{
    long sum = 0;
    for (struct node *n = &a; n;) {
        pthread_mutex_lock(&m);
        sum += n->value;
        n = n->next; /* B */
        pthread_mutex_unlock(&m);
    }
    return (void *)sum;
}

static void *remover(void *arg)
{
    pthread_mutex_lock(&m);
    a.next = b.next;
    b.next = POISON; /* A */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, walker, NULL);
    pthread_create(&r, NULL, remover, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
