/* exit.h: the end of the process; see icept_exit.c. */
#ifndef HD_EXIT_H
#define HD_EXIT_H

void hd_exit_init(void);

#endif
