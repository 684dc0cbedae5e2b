/* patch.h: takes calls of memory hooks out of the program's code, and puts them back; see
 * patch.c. */
#ifndef HD_PATCH_H
#define HD_PATCH_H

#include "runtime/core/rt.h"

/* The memory hooks and those of functions, and nothing else that has sites. */
#define HD_PATCHABLE __attribute__((section("hd_patchable")))

/* In the server: the code of the program and its libraries, as loaded. */
void hd_patch_init(void);

/* Between open and close calls can be patched out or put back. False: not allowed here. */
bool hd_patch_open(void);
void hd_patch_close(void);
/* The code stays open, in this process and its children, for: */
void hd_patch_keep_open(void);
/* ... the hook call that returns to `pc` is never made again. Nothing if it is not open. */
void hd_patch_at_once(u64 pc);
/* The hook call that returns to `pc`. Anything else is left as it is. */
void hd_patch_call(u64 pc, bool is_patched_out);

#endif
