/* patch.h: takes calls of memory hooks out of the program's code, and puts them back; see
 * patch.c. */
#ifndef HD_MUTE_H
#define HD_MUTE_H

#include "runtime/core/rt.h"

/* The memory hooks, and nothing else that has sites. */
#define HD_MUTABLE __attribute__((section("hd_mutable")))

/* In the server: the code of the program and its libraries, as loaded. */
void hd_mute_init(void);

/* Between open and close calls can be muted or heard again. False: not allowed here. */
bool hd_mute_open(void);
void hd_mute_close(void);
/* The hook call that returns to `pc`. Anything else is left as it is. */
void hd_mute_call(u64 pc, bool is_muted);

#endif
