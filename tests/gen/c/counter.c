#include "counter.h"

#include <stdatomic.h>
#include <stdlib.h>

struct counter {
    atomic_long value;
};

struct counter *counter_new(void) { return calloc(1, sizeof(struct counter)); }

void counter_free(struct counter *c) { free(c); }

void counter_add(struct counter *c, int n)
{
#ifdef FIXED
    atomic_fetch_add(&c->value, n);
#else
    long was = atomic_load(&c->value); /* bug */
    atomic_store(&c->value, was + n);
#endif
}

long counter_value(const struct counter *c) { return atomic_load(&c->value); }
