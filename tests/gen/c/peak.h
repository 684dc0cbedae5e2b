/* The largest number seen so far.
 * bug: peak_see compares and stores in two steps: a smaller number overwrites a larger one.
 * kind: result */
#ifndef PEAK_H
#define PEAK_H
typedef struct peak peak;
peak *peak_make(void);
void peak_delete(peak *p);
int peak_see(peak *p, int value);  /* 1: it is a new peak */
int peak_max(const peak *p);
void peak_reset(peak *p);
#endif
