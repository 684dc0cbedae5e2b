/* Goods that callers wait for.
 * bug: depot_give wakes one caller, however much it gives.
 * kind: deadlock */
#ifndef DEPOT_H
#define DEPOT_H
struct depot;
struct depot *depot_new(void);
void depot_free(struct depot *d);
/* Waits until there is one. What is left. */
int depot_take(struct depot *d);
/* Waits for so long at most; -1 = there was none. */
int depot_take_within(struct depot *d, unsigned ms);
void depot_give(struct depot *d, unsigned n);
/* Less than 0: so many wait. */
int depot_stock(const struct depot *d);
#endif
