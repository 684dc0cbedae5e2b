#include "hashmap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 8

struct entry {
    struct entry *next;
    int value;
    char key[8];
};

struct hashmap {
    pthread_mutex_t lock;
    struct entry *slot[SLOTS];
    atomic_size_t n;
};

struct hashmap *hashmap_new(void)
{
    struct hashmap *m = calloc(1, sizeof *m);
    pthread_mutex_init(&m->lock, NULL);
    return m;
}

void hashmap_free(struct hashmap *m)
{
    for (int i = 0; i < SLOTS; i++)
        for (struct entry *e = m->slot[i], *next; e; e = next) {
            next = e->next;
            free(e);
        }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static struct entry **find(struct hashmap *m, const char *key)
{
    struct entry **at = &m->slot[(unsigned char)key[0] % SLOTS];
    while (*at && strcmp((*at)->key, key))
        at = &(*at)->next;
    return at;
}

static void count(struct hashmap *m, size_t by)
{
    m->n = m->n + by; /* two steps */
}

int hashmap_set(struct hashmap *m, const char *key, int value)
{
    pthread_mutex_lock(&m->lock);
    struct entry **at = find(m, key);
    int is_new = !*at;
    if (is_new) {
        *at = calloc(1, sizeof **at);
        strncpy((*at)->key, key, 7);
    }
    (*at)->value = value;
#ifdef FIXED
    if (is_new)
        count(m, 1);
#endif
    pthread_mutex_unlock(&m->lock);
#ifndef FIXED
    if (is_new)
        count(m, 1); /* bug */
#endif
    return is_new;
}

int hashmap_get(const struct hashmap *m, const char *key)
{
    struct hashmap *w = (struct hashmap *)m;
    pthread_mutex_lock(&w->lock);
    struct entry *e = *find(w, key);
    int value = e ? e->value : -1;
    pthread_mutex_unlock(&w->lock);
    return value;
}

int hashmap_remove(struct hashmap *m, const char *key)
{
    pthread_mutex_lock(&m->lock);
    struct entry **at = find(m, key), *e = *at;
    if (e) {
        *at = e->next;
        free(e);
#ifdef FIXED
        count(m, (size_t)-1);
#endif
    }
    pthread_mutex_unlock(&m->lock);
#ifndef FIXED
    if (e)
        count(m, (size_t)-1); /* bug */
#endif
    return e != NULL;
}

size_t hashmap_size(const struct hashmap *m)
{
    pthread_mutex_lock((pthread_mutex_t *)&m->lock);
    size_t n = m->n;
    pthread_mutex_unlock((pthread_mutex_t *)&m->lock);
    return n;
}
