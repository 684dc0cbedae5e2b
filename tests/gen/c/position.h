/* A point that is moved, read without a lock: the reader looks again if it was moved meanwhile.
 * bug: pos_get looks whether it was moved before it has read both numbers.
 * kind: result */
#ifndef POSITION_H
#define POSITION_H
struct position;
struct position *pos_new(void);
void pos_free(struct position *p);
/* Both numbers change by as much. */
void pos_move(struct position *p, int by);
void pos_get(const struct position *p, int *x, int *y);
#endif
