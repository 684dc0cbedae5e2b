/* syscall.h: system calls by number; see syscall.c. */
#ifndef HD_SYSCALL_H
#define HD_SYSCALL_H

#include "base/base.h"

/* Does what the libc function for this call does. False: nothing is known of it, the kernel
 * is to do it. *r: as the kernel returns it, errno is left alone. Pre: hd_on(). */
bool hd_syscall_serve(long number, const long a[6], u64 site, long long *r);

#endif
