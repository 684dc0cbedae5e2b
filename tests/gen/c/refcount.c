#include "refcount.h"

#include <stdatomic.h>
#include <stdlib.h>

struct node {
    atomic_int refs;
    int value;
};

struct node *node_new(int value)
{
    struct node *n = calloc(1, sizeof *n);
    n->refs = 1;
    n->value = value;
    return n;
}

struct node *node_ref(struct node *n)
{
    atomic_fetch_add(&n->refs, 1);
    return n;
}

void node_unref(struct node *n)
{
#ifdef FIXED
    if (atomic_fetch_sub(&n->refs, 1) == 1)
        free(n);
#else
    int was = atomic_load(&n->refs); /* bug */
    atomic_store(&n->refs, was - 1);
    if (was == 1)
        free(n);
#endif
}

int node_value(const struct node *n) { return n->value; }
