#include "spool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct spool {
    pthread_mutex_t lock;
    int *line;
    int n, room;
};

struct spool *spool_new(void)
{
    struct spool *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->room = 2;
    s->line = malloc((size_t)s->room * sizeof *s->line);
    return s;
}

void spool_free(struct spool *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s->line);
    free(s);
}

int spool_add(struct spool *s, int line)
{
    pthread_mutex_lock(&s->lock);
    if (s->n == s->room) {
        int *larger = malloc(2 * (size_t)s->room * sizeof *larger);
        memcpy(larger, s->line, (size_t)s->n * sizeof *larger);
        free(s->line);
        s->line = larger;
        s->room *= 2;
    }
    s->line[s->n++] = line;
    int n = s->n;
    pthread_mutex_unlock(&s->lock);
    return n;
}

int spool_last(struct spool *s)
{
    pthread_mutex_lock(&s->lock);
    if (!s->n) {
        pthread_mutex_unlock(&s->lock);
        return -1;
    }
    int *last = &s->line[s->n - 1];
#ifdef FIXED
    int line = *last;
    pthread_mutex_unlock(&s->lock);
#else
    pthread_mutex_unlock(&s->lock);
    int line = *last; /* bug */
#endif
    return line;
}

int spool_print(struct spool *s)
{
    int line = -1;
    pthread_mutex_lock(&s->lock);
    if (s->n) {
        line = s->line[0];
        s->n--;
        memmove(s->line, s->line + 1, (size_t)s->n * sizeof *s->line);
    }
    pthread_mutex_unlock(&s->lock);
    return line;
}

int spool_count(const struct spool *s)
{
    pthread_mutex_lock((pthread_mutex_t *)&s->lock);
    int n = s->n;
    pthread_mutex_unlock((pthread_mutex_t *)&s->lock);
    return n;
}
