/* init.h: has start-up run? See init.c. */
#ifndef HD_INIT_H
#define HD_INIT_H

#include "runtime/core/rt.h"

/* The real functions are known: HD_REAL may be used. */
extern bool hd_is_ready;

#endif
