/* A counter.
 * bug: counter_add reads and writes in two steps: one of two additions is lost.
 * kind: result */
#ifndef COUNTER_H
#define COUNTER_H
struct counter;
struct counter *counter_new(void);
void counter_free(struct counter *c);
void counter_add(struct counter *c, int n);
long counter_value(const struct counter *c);
#endif
