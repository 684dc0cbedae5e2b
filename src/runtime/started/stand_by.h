/* stand_by.h: a passive process of a command under test; see stand_by.c. */
#ifndef HD_STAND_BY_H
#define HD_STAND_BY_H

#include "runtime/core/rt.h"
#include "event/ask.h"

/* Whom to ask (NULL = nobody), and what the process was started with. */
void hd_stand_by(const char *name, int argc, char **argv, char **envp);
/* The process forks; in the child, that it is one. */
void hd_stand_by_forks(void);
void hd_stand_by_forked(void);
/* Before a thread is made, if control is off: asks, once in a process, whether it is to be
 * controlled from here on. Afterwards hd_on() may be true. */
void hd_stand_by_threads(void);

#endif
