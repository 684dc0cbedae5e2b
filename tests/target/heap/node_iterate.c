/* A list that loses a node under the one who walks it
 * cause:    node freed under an iterator: only changes take the lock, walks do not
 * build:    gcc -g -O1 -fsanitize=thread
 * args:
 * expect:   heap
 * budget:   300 runs
 * strategy: random,pct,pos
 * pair:     A before B fails
 * preemptions: 1
 */
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *volatile next;
    int value;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct node *volatile head;
static volatile int sum;

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    n->value = value;
    n->next = head;
    head = n;
}

static void *walker(void *arg)
{
    int s = 0;
    for (struct node *n = head; n; n = n->next) /* B */
        s += n->value;
    sum = s;
    return arg;
}

/* Takes the second node out. */
static void *remover(void *arg)
{
    pthread_mutex_lock(&m);
    struct node *n = head->next;
    head->next = n->next;
    free(n); /* A */
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t w, r;
    push(3);
    push(2);
    push(1);
    pthread_create(&w, NULL, walker, NULL);
    pthread_create(&r, NULL, remover, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return sum ? 0 : 1;
}
