#include "kv.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *next;
    char *key, *value;
};
struct kv {
    pthread_mutex_t lock;
    struct entry *first;
};

kv *kv_new(void)
{
    kv *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static void drop(struct entry *e)
{
    free(e->key);
    free(e->value);
    free(e);
}

void kv_unref(kv *s)
{
    while (s->first) {
        struct entry *e = s->first;
        s->first = e->next;
        drop(e);
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static struct entry *take(kv *s, const char *key)
{
    for (struct entry **at = &s->first; *at; at = &(*at)->next)
        if (!strcmp((*at)->key, key)) {
            struct entry *e = *at;
            *at = e->next;
            return e;
        }
    return NULL;
}

static void put(kv *s, struct entry *e)
{
    struct entry *old = take(s, e->key);
    if (old)
        drop(old);
    e->next = s->first;
    s->first = e;
}

void kv_set(kv *s, const char *key, const char *value)
{
    struct entry *e = calloc(1, sizeof *e);
    e->key = strdup(key);
    e->value = strdup(value);
    pthread_mutex_lock(&s->lock);
    put(s, e);
    pthread_mutex_unlock(&s->lock);
}

char *kv_get(kv *s, const char *key)
{
    char *copy = NULL;
    pthread_mutex_lock(&s->lock);
    for (struct entry *e = s->first; e && !copy; e = e->next)
        if (!strcmp(e->key, key))
            copy = strdup(e->value);
    pthread_mutex_unlock(&s->lock);
    return copy;
}

int kv_rename(kv *s, const char *from, const char *to)
{
    pthread_mutex_lock(&s->lock);
    struct entry *e = take(s, from);
    if (e) {
#ifndef FIXED
        pthread_mutex_unlock(&s->lock); /* bug */
        pthread_mutex_lock(&s->lock);
#endif
        free(e->key);
        e->key = strdup(to);
        put(s, e);
    }
    pthread_mutex_unlock(&s->lock);
    return e ? 0 : -1;
}
