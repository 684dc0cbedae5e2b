/* A ring of numbers that several threads may use.
 * bug: ring_put looks for room and takes it under two locks, so two puts share the last place.
 * kind: result */
#ifndef RING_H
#define RING_H
struct ring;
struct ring *ring_new(int room);
void ring_free(struct ring *r);
int ring_put(struct ring *r, int value);       /* 0, or -1: it is full */
int ring_get(struct ring *r, int *value);      /* 0, or -1: it is empty */
int ring_count(const struct ring *r);
#endif
