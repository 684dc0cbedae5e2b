/* atomic.h: an atomic update by an instruction of the program's own (asm/trap.c). */
#ifndef HD_ATOMIC_H
#define HD_ATOMIC_H

#include "runtime/core/rt.h"

/* The scheduling point before it. `expected` of a compare-exchange, NULL of other updates.
 * Pre: hd_on(). */
void hd_atomic_before(u64 addr, u32 size, u64 site, const unsigned __int128 *expected);
/* It is about to be made, by the only thread that runs: will it change anything? */
void hd_atomic_comes(u64 site, bool changes);

#endif
