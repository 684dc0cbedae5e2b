/* Timers that go off when the clock is moved on.
 * bug: timers_tick takes the due timer out of the list, drops the lock, and frees it although
 * timers_cancel may have freed it.
 * kind: heap */
#ifndef TIMERS_H
#define TIMERS_H
struct timers;
struct timers *timers_new(void);
void timers_free(struct timers *t);
int timers_add(struct timers *t, unsigned due);  /* its number */
int timers_cancel(struct timers *t, int number); /* 0, or -1: there is none */
int timers_tick(struct timers *t);               /* how many went off */
int timers_pending(const struct timers *t);
#endif
