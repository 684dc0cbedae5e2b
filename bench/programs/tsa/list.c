/* list.c [THREADS [OPS]]: a sorted list with a lock per node, locked hand over hand;
 * THREADS (3) do OPS (16) operations each, drawn by the thread's own number. For
 * synchronization pairs (TSA): nine places that lock. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 6, MAX_THREADS = 16 };

struct node {
    pthread_mutex_t m;
    int key, hits;
    struct node *next;
};
static struct node tail = {PTHREAD_MUTEX_INITIALIZER, INT_MAX, 0, NULL};
static struct node head = {PTHREAD_MUTEX_INITIALIZER, INT_MIN, 0, &tail};
static pthread_mutex_t count_m = PTHREAD_MUTEX_INITIALIZER;
static int count, threads = 3, ops = 16;

static void count_by(int n)
{
    pthread_mutex_lock(&count_m);
    count += n;
    pthread_mutex_unlock(&count_m);
}

/* The node before `key`, locked, and the one at or behind it, locked as well. */
static struct node *walk(int key, struct node **at)
{
    struct node *before = &head;
    pthread_mutex_lock(&before->m);
    struct node *n = before->next;
    pthread_mutex_lock(&n->m);
    while (n->key < key) {
        pthread_mutex_unlock(&before->m);
        before = n;
        n = n->next;
        pthread_mutex_lock(&n->m);
    }
    *at = n;
    return before;
}

static void leave(struct node *before, struct node *at)
{
    pthread_mutex_unlock(&at->m);
    pthread_mutex_unlock(&before->m);
}

static void insert(int key)
{
    struct node *at, *before = walk(key, &at);
    if (at->key != key) {
        struct node *n = malloc(sizeof *n);
        pthread_mutex_init(&n->m, NULL);
        n->key = key;
        n->hits = 0;
        n->next = at;
        before->next = n;
        count_by(1);
    }
    leave(before, at);
}

static void take_out(int key)
{
    struct node *at, *before = walk(key, &at);
    if (at->key != key) {
        leave(before, at);
        return;
    }
    before->next = at->next;
    count_by(-1);
    leave(before, at); /* nobody waits for it: that takes the lock before */
    pthread_mutex_destroy(&at->m);
    free(at);
}

static int hit(int key)
{
    struct node *at, *before = walk(key, &at);
    int is_there = at->key == key;
    at->hits += is_there;
    leave(before, at);
    return is_there;
}

static int length(void)
{
    int n = 0;
    struct node *at = &head;
    pthread_mutex_lock(&at->m);
    while (at->next != &tail) {
        struct node *next = at->next;
        pthread_mutex_lock(&next->m);
        pthread_mutex_unlock(&at->m);
        at = next;
        n++;
    }
    pthread_mutex_unlock(&at->m);
    return n;
}

static int first_key(void)
{
    pthread_mutex_lock(&head.m);
    struct node *n = head.next;
    pthread_mutex_lock(&n->m);
    int key = n->key;
    pthread_mutex_unlock(&n->m);
    pthread_mutex_unlock(&head.m);
    return key;
}

static int count_now(void)
{
    pthread_mutex_lock(&count_m);
    int n = count;
    pthread_mutex_unlock(&count_m);
    return n;
}

static void *work(void *arg)
{
    unsigned draw = (unsigned)(long)arg * 2654435761u + 5;
    for (int i = 0; i < ops; i++) {
        draw = draw * 1664525u + 1013904223u;
        int key = (int)(draw >> 20) % KEYS;
        switch (draw >> 8 & 7) {
        case 0:
        case 1:
        case 2: insert(key); break;
        case 3: take_out(key); break;
        case 4: hit(key); break;
        case 5: length(); break;
        case 6: first_key(); break;
        default: count_now(); break;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        ops = atoi(argv[2]);
    if (threads < 1 || threads > MAX_THREADS)
        return 64;
    pthread_t t[MAX_THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    int is_right = length() == count_now();
    for (int k = 0; k < KEYS; k++)
        take_out(k);
    is_right &= first_key() == INT_MAX;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
