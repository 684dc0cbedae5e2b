/* warm.h: before the first run: see warm.c. */
#ifndef HD_WARM_H
#define HD_WARM_H

void hd_warm_up(void);

#endif
