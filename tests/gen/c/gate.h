/* A gate that calls wait for until it is opened.
 * bug: gate_open wakes before the gate is marked open and outside the lock: a waiter sleeps for ever.
 * kind: deadlock */
#ifndef GATE_H
#define GATE_H
struct gate;
struct gate *gate_new(void);
void gate_free(struct gate *g);
void gate_open(struct gate *g);
void gate_shut(struct gate *g);
void gate_pass(struct gate *g);
int gate_is_open(const struct gate *g);
#endif
