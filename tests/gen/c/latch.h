/* Lets waiters go when it has been counted down.
 * bug: latch_down counts in two steps, so the last count may never be seen.
 * kind: deadlock */
#ifndef LATCH_H
#define LATCH_H
struct latch;
struct latch *latch_create(int count);
void latch_destroy(struct latch *l);
void latch_down(struct latch *l);
void latch_wait(struct latch *l);
#endif
