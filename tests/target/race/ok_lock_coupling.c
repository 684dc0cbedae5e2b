/* Hand over hand: a list with a lock in each node; the next one is taken before the last one is given up,
 * and a node is freed under its lock and that of the one before
 * build:    gcc -g -O0 -fsanitize=thread
 * args:
 * races:    none
 */
#include <stdlib.h>

#include "threads.h"

struct node {
    pthread_mutex_t lock;
    int key;
    struct node *next;
};
static struct node head = {PTHREAD_MUTEX_INITIALIZER, 0, NULL};

/* The last node with a smaller key, locked. */
static struct node *find(int key)
{
    struct node *at = &head;
    pthread_mutex_lock(&at->lock);
    while (at->next && at->next->key < key) {
        struct node *next = at->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&at->lock);
        at = next;
    }
    return at;
}

static void insert(int key)
{
    struct node *n = malloc(sizeof *n), *at = find(key);
    pthread_mutex_init(&n->lock, NULL);
    n->key = key;
    n->next = at->next;
    at->next = n;
    pthread_mutex_unlock(&at->lock);
}

static void delete(int key)
{
    struct node *at = find(key), *n = at->next;
    if (n && n->key == key) {
        pthread_mutex_lock(&n->lock);
        at->next = n->next;
        pthread_mutex_unlock(&n->lock);
        pthread_mutex_destroy(&n->lock);
        free(n);
    }
    pthread_mutex_unlock(&at->lock);
}

static void *even(void *arg)
{
    insert(2);
    insert(6);
    delete(4);
    return arg;
}

static void *odd(void *arg)
{
    insert(4);
    delete(2);
    insert(5);
    return arg;
}

int main(void)
{
    run_both(even, odd);
    while (head.next) {
        struct node *n = head.next;
        head.next = n->next;
        free(n);
    }
    return 0;
}
