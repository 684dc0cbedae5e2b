/* Lets so many through.
 * bug: whether one is left is looked at in another step than the one that takes it.
 * kind: result */
#ifndef LIMITER_H
#define LIMITER_H
#include <stdbool.h>
typedef struct { int left; int pad; void *lock; } limiter_t;
int limiter_init(limiter_t *l, int count);
void limiter_fini(limiter_t *l);
bool limiter_allow(limiter_t *l);
void limiter_refill(limiter_t *l, int by);
int limiter_left(const limiter_t *l);
#endif
