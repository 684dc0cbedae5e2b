/* warn_pointer.c: the program that warn_pointer.txt changes: what threads share is behind pointers. */
#include <pthread.h>
#include <stdio.h>

struct cache {
    pthread_mutex_t lock;
    int hits, misses, limit;
    struct {
        int loaded, evicted;
    } stats;
};
struct worker {
    struct cache *cache;
    int count, done;
};

__attribute__((noinline)) void get(struct cache *c, int n)
{
    /* begin of get */
    pthread_mutex_lock(&c->lock);
    c->hits += n; /* get */
    pthread_mutex_unlock(&c->lock);
    /* end of get */
}

__attribute__((noinline)) void put(struct cache *c, int n)
{
    pthread_mutex_lock(&c->lock);
    c->misses++; /* put */
    c->stats.loaded += n;
    pthread_mutex_unlock(&c->lock);
    /* end of put */
}

__attribute__((noinline)) int sum(struct cache *c)
{
    pthread_mutex_lock(&c->lock);
    int n = c->hits + c->misses; /* sum */
    pthread_mutex_unlock(&c->lock);
    /* end of sum */
    return n;
}

__attribute__((noinline)) void work(struct worker *w, int n)
{
    for (int i = 0; i < n; i++)
        w->count += i;
    /* end of work */
}

__attribute__((noinline)) void prepare(struct cache *c)
{
    pthread_mutex_init(&c->lock, 0);
    c->limit = 5;
    /* end of prepare */
}

static void *run(void *arg)
{
    struct worker *w = arg;
    for (int i = 0; i < 2; i++) {
        get(w->cache, i);
        put(w->cache, i);
        work(w, sum(w->cache));
    }
    return arg;
}

int main(void)
{
    static struct cache cache;
    static struct worker own[2];
    pthread_t id[2];
    prepare(&cache);
    for (int i = 0; i < 2; i++) {
        own[i].cache = &cache;
        pthread_create(&id[i], 0, run, &own[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(id[i], 0);
    printf("%d\n", cache.limit);
    return 0;
}
