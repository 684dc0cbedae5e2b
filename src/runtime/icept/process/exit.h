/* exit.h: the end of the process; see exit.c. */
#ifndef HD_EXIT_H
#define HD_EXIT_H

#include "base/base.h"

void hd_exit_init(void);
/* exit() called at `site`; 0: main returned. */
_Noreturn void hd_exit(int status, u64 site);

#endif
