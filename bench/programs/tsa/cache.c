/* cache.c [THREADS [OPS]]: a small cache in front of a slow table: a lock for the
 * entries, one for the order of use, one for the table, one for the statistics. THREADS
 * (3) do OPS (20) operations each, drawn by the thread's own number. For synchronization
 * pairs (TSA): twelve places that lock. Order of locks: entries, use, statistics. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 3, KEYS = 7, MAX_THREADS = 16 };

static struct slot {
    int key, value, is_used;
    long last_use;
} slot[SLOTS];
static pthread_mutex_t slots_m = PTHREAD_MUTEX_INITIALIZER, use_m = PTHREAD_MUTEX_INITIALIZER,
                       table_m = PTHREAD_MUTEX_INITIALIZER, stats_m = PTHREAD_MUTEX_INITIALIZER;
static int table[KEYS], hits, misses, evictions, lookups, threads = 3, ops = 20;
static long uses;

static struct slot *find(int key)
{
    for (int i = 0; i < SLOTS; i++)
        if (slot[i].is_used && slot[i].key == key)
            return &slot[i];
    return NULL;
}

static void touch(struct slot *s)
{
    pthread_mutex_lock(&use_m);
    s->last_use = ++uses;
    pthread_mutex_unlock(&use_m);
}

static struct slot *oldest(void)
{
    struct slot *old = &slot[0];
    pthread_mutex_lock(&use_m);
    for (int i = 0; i < SLOTS; i++)
        if (!slot[i].is_used || (old->is_used && slot[i].last_use < old->last_use))
            old = &slot[i];
    pthread_mutex_unlock(&use_m);
    return old;
}

static void evict(struct slot *s)
{
    if (!s->is_used)
        return;
    s->is_used = 0;
    pthread_mutex_lock(&stats_m);
    evictions++;
    pthread_mutex_unlock(&stats_m);
}

static int load(int key)
{
    pthread_mutex_lock(&table_m);
    int value = table[key];
    pthread_mutex_unlock(&table_m);
    return value;
}

static void count_hit(void)
{
    pthread_mutex_lock(&stats_m);
    hits++;
    pthread_mutex_unlock(&stats_m);
}

static void count_miss(void)
{
    pthread_mutex_lock(&stats_m);
    misses++;
    pthread_mutex_unlock(&stats_m);
}

static void fill(int key, int value)
{
    pthread_mutex_lock(&slots_m);
    if (!find(key)) {
        struct slot *s = oldest();
        evict(s);
        s->key = key;
        s->value = value;
        s->is_used = 1;
        touch(s);
    }
    pthread_mutex_unlock(&slots_m);
}

static int get(int key)
{
    int value = 0;
    pthread_mutex_lock(&slots_m);
    struct slot *s = find(key);
    if (s) {
        touch(s);
        value = s->value;
    }
    pthread_mutex_unlock(&slots_m);
    if (s) {
        count_hit();
    } else {
        count_miss();
        value = load(key);
        fill(key, value);
    }
    return value;
}

static void forget(int key)
{
    pthread_mutex_lock(&slots_m);
    struct slot *s = find(key);
    if (s)
        evict(s);
    pthread_mutex_unlock(&slots_m);
}

static void flush(void)
{
    pthread_mutex_lock(&slots_m);
    for (int i = 0; i < SLOTS; i++)
        evict(&slot[i]);
    pthread_mutex_unlock(&slots_m);
}

static void count_lookup(void)
{
    pthread_mutex_lock(&stats_m);
    lookups++;
    pthread_mutex_unlock(&stats_m);
}

static int hit_rate(void)
{
    pthread_mutex_lock(&stats_m);
    int rate = hits + misses ? 100 * hits / (hits + misses) : 0;
    pthread_mutex_unlock(&stats_m);
    return rate;
}

static void *work(void *arg)
{
    unsigned draw = (unsigned)(long)arg * 2654435761u + 3;
    int is_right = 1;
    for (int i = 0; i < ops; i++) {
        draw = draw * 1664525u + 1013904223u;
        int key = (int)(draw >> 20) % KEYS;
        switch (draw >> 8 & 7) {
        case 0: forget(key); break;
        case 1: hit_rate(); break;
        case 2:
            if (key == 0)
                flush();
            break;
        default:
            count_lookup();
            is_right &= get(key) == key * key;
            break;
        }
    }
    return (void *)(long)!is_right;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        threads = atoi(argv[1]);
    if (argc > 2)
        ops = atoi(argv[2]);
    if (threads < 1 || threads > MAX_THREADS)
        return 64;
    for (int k = 0; k < KEYS; k++)
        table[k] = k * k;
    pthread_t t[MAX_THREADS];
    int is_right = 1;
    for (long i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < threads; i++) {
        void *is_wrong;
        pthread_join(t[i], &is_wrong);
        is_right &= !is_wrong;
    }
    is_right &= hits + misses == lookups;
    printf("%s\n", is_right ? "right" : "wrong");
    return !is_right;
}
