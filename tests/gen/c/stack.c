#include "stack.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define MAX 16

struct stack {
    pthread_mutex_t lock;
    atomic_int n;
    int at[MAX];
};

struct stack *stack_create(void)
{
    struct stack *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void stack_destroy(struct stack *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}

int stack_push(struct stack *s, int value)
{
    int e = -1;
    pthread_mutex_lock(&s->lock);
    if (s->n < MAX) {
        s->at[s->n] = value;
        s->n++;
        e = 0;
    }
    pthread_mutex_unlock(&s->lock);
    return e;
}

int stack_pop(struct stack *s)
{
#ifdef FIXED
    pthread_mutex_lock(&s->lock);
    int n = s->n;
#else
    int n = s->n; /* bug */
    pthread_mutex_lock(&s->lock);
#endif
    int value = n ? s->at[n - 1] : -1;
    if (n)
        s->n = n - 1;
    pthread_mutex_unlock(&s->lock);
    return value;
}

int stack_depth(const struct stack *s) { return s->n; }
