/* init.h: has start-up run? See init.c. */
#ifndef HD_INIT_H
#define HD_INIT_H

#include "runtime/core/rt.h"

/* The real functions are known: HD_REAL may be used. */
extern bool hd_is_ready;

/* The program is under control from here on: by the constructor of the library, or before the
 * first thread of a process (started/stand_by.c), with the descriptors of event/shm.h in place. */
void hd_init_take_over(char **envp);

#endif
