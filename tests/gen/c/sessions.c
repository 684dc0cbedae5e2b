#include "sessions.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST 4

struct session {
    int number;
};

struct sessions {
    pthread_mutex_t lock;
    struct session *at[MOST];
    int number;
};

static pthread_mutex_t global_lock = PTHREAD_MUTEX_INITIALIZER;
static int tables;

struct sessions *sessions_create(void)
{
    struct sessions *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_lock(&global_lock);
    s->number = ++tables;
    pthread_mutex_unlock(&global_lock);
    return s;
}

void sessions_destroy(struct sessions *s)
{
    for (int i = 0; i < MOST; i++)
        free(s->at[i]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int sessions_open(struct sessions *s)
{
    int number = 0;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < MOST && !number; i++)
        if (!s->at[i]) {
            s->at[i] = malloc(sizeof *s->at[i]);
            number = s->at[i]->number = i + 1;
        }
    pthread_mutex_unlock(&s->lock);
    return number;
}

int sessions_close(struct sessions *s, int number)
{
    if (number < 1 || number > MOST)
        return -1;
    pthread_mutex_lock(&s->lock);
    struct session *is = s->at[number - 1];
#ifdef FIXED
    s->at[number - 1] = NULL;
    pthread_mutex_unlock(&s->lock);
    free(is);
#else
    pthread_mutex_unlock(&s->lock); /* bug */
    free(is);
    pthread_mutex_lock(&s->lock);
    s->at[number - 1] = NULL;
    pthread_mutex_unlock(&s->lock);
#endif
    return is ? 0 : -1;
}

int sessions_count(const struct sessions *s)
{
    int n = 0;
    pthread_mutex_lock((pthread_mutex_t *)&s->lock);
    for (int i = 0; i < MOST; i++)
        n += s->at[i] != NULL;
    pthread_mutex_unlock((pthread_mutex_t *)&s->lock);
    return n;
}

int sessions_number(const struct sessions *s) { return s->number; }
