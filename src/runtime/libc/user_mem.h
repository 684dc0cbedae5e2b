/* user_mem.h: memory the program names in a call that the kernel would read or
 * write: a bad address is the call's EFAULT, not a fault of ours. */
#ifndef HD_USER_MEM_H
#define HD_USER_MEM_H

#include "base/base.h"

/* False: not all of it can be read or written. */
bool hd_user_read(void *to, const volatile void *from, size_t n);
bool hd_user_write(volatile void *to, const void *from, size_t n);
/* Can n bytes from `at` be read? One byte of each page is tried. */
bool hd_user_can_read(const volatile void *at, size_t n);

/* For the handler of faults: did the fault at *pc happen in one of these? Then *pc
 * becomes where to go on. */
bool hd_user_recover(u64 *pc);

#endif
