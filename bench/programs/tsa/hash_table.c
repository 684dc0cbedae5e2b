/* hash_table.c [THREADS [OPS]]: a hash table with a lock per bucket and one for its
 * size; THREADS (3) do OPS (20) operations each, drawn by the thread's own number, on
 * keys they share. For synchronization pairs (TSA): eleven places that lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 4, KEYS = 8, MAX_THREADS = 16 };

struct entry {
    int key, value;
    struct entry *next;
};
static struct bucket {
    pthread_mutex_t m;
    struct entry *first;
} table[BUCKETS];
static pthread_mutex_t size_m = PTHREAD_MUTEX_INITIALIZER;
static int size, operations, threads = 3, ops = 20;

static struct bucket *bucket_of(int key) { return &table[key % BUCKETS]; }

static struct entry **find(struct bucket *b, int key)
{
    struct entry **e = &b->first;
    while (*e && (*e)->key != key)
        e = &(*e)->next;
    return e;
}

static void put(int key, int value)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    struct entry **e = find(b, key);
    if (*e) {
        (*e)->value = value;
    } else {
        *e = malloc(sizeof **e);
        **e = (struct entry){key, value, NULL};
        pthread_mutex_lock(&size_m);
        size++;
        pthread_mutex_unlock(&size_m);
    }
    pthread_mutex_unlock(&b->m);
}

static int get(int key)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    struct entry *e = *find(b, key);
    int value = e ? e->value : -1;
    pthread_mutex_unlock(&b->m);
    return value;
}

static void take_out(int key)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    struct entry **e = find(b, key), *old = *e;
    if (old) {
        *e = old->next;
        pthread_mutex_lock(&size_m);
        size--;
        pthread_mutex_unlock(&size_m);
    }
    pthread_mutex_unlock(&b->m);
    free(old);
}

static void add(int key, int by)
{
    struct bucket *b = bucket_of(key);
    pthread_mutex_lock(&b->m);
    struct entry *e = *find(b, key);
    if (e)
        e->value += by;
    pthread_mutex_unlock(&b->m);
}

static int count_all(void)
{
    int n = 0;
    for (int i = 0; i < BUCKETS; i++) {
        pthread_mutex_lock(&table[i].m);
        for (struct entry *e = table[i].first; e; e = e->next)
            n++;
        pthread_mutex_unlock(&table[i].m);
    }
    return n;
}

static int size_now(void)
{
    pthread_mutex_lock(&size_m);
    int n = size;
    pthread_mutex_unlock(&size_m);
    return n;
}

static void swap(int a, int b) /* locks in the order of the buckets */
{
    struct bucket *x = bucket_of(a), *y = bucket_of(b);
    if (x == y)
        return;
    pthread_mutex_lock(x < y ? &x->m : &y->m);
    pthread_mutex_lock(x < y ? &y->m : &x->m);
    struct entry *e = *find(x, a), *f = *find(y, b);
    if (e && f) {
        int t = e->value;
        e->value = f->value;
        f->value = t;
    }
    pthread_mutex_unlock(&y->m);
    pthread_mutex_unlock(&x->m);
}

static void *work(void *arg)
{
    unsigned me = (unsigned)(long)arg, draw = me * 2654435761u + 17;
    for (int i = 0; i < ops; i++) {
        draw = draw * 1664525u + 1013904223u;
        int key = (int)(draw >> 20) % KEYS;
        switch (draw >> 8 & 7) {
        case 0:
        case 1: put(key, i); break;
        case 2: get(key); break;
        case 3: take_out(key); break;
        case 4: add(key, 1); break;
        case 5: count_all(); break;
        case 6: size_now(); break;
        default: swap(key, (key + 1) % KEYS); break;
        }
    }
    pthread_mutex_lock(&size_m);
    operations += ops;
    pthread_mutex_unlock(&size_m);
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
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].m, NULL);
    pthread_t t[MAX_THREADS];
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    int is_right = count_all() == size_now() && operations == threads * ops;
    for (int k = 0; k < KEYS; k++)
        take_out(k);
    printf("%s\n", is_right && !size ? "right" : "wrong");
    return is_right && !size ? 0 : 1;
}
