/* final.h: what the program leaves in memory, for a host that compares two runs. See final.c. */
#ifndef HD_FINAL_H
#define HD_FINAL_H

/* All handlers of exit() have run: fills hd_shm_run.final and its words. Pre: hd_on(). */
void hd_final_take(void);

#endif
