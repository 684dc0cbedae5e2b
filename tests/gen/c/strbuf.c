#include "strbuf.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct strbuf {
    pthread_mutex_t lock;
    char *text;
    size_t n;
};

struct strbuf *strbuf_new(void)
{
    struct strbuf *b = calloc(1, sizeof *b);
    pthread_mutex_init(&b->lock, NULL);
    return b;
}

void strbuf_free(struct strbuf *b)
{
    free(b->text);
    pthread_mutex_destroy(&b->lock);
    free(b);
}

void strbuf_add(struct strbuf *b, const char *text)
{
    size_t n = strlen(text);
    pthread_mutex_lock(&b->lock);
    char *grown = malloc(b->n + n + 1), *old = b->text;
    if (old)
        memcpy(grown, old, b->n);
#ifndef FIXED
    pthread_mutex_unlock(&b->lock); /* bug */
    pthread_mutex_lock(&b->lock);
#endif
    memcpy(grown + b->n, text, n);
    b->n += n;
    b->text = grown;
    free(old);
    pthread_mutex_unlock(&b->lock);
}

size_t strbuf_copy(const struct strbuf *b, char *to, size_t size)
{
    pthread_mutex_lock((pthread_mutex_t *)&b->lock);
    size_t n = b->n < size ? b->n : size;
    if (n)
        memcpy(to, b->text, n);
    pthread_mutex_unlock((pthread_mutex_t *)&b->lock);
    return n;
}

size_t strbuf_length(const struct strbuf *b)
{
    pthread_mutex_lock((pthread_mutex_t *)&b->lock);
    size_t n = b->n;
    pthread_mutex_unlock((pthread_mutex_t *)&b->lock);
    return n;
}
