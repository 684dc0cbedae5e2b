/* real.h: the real libc functions behind our interceptors.
 *
 * A row HD_REALFN(name, version) in one of the real_*.def files declares
 * HD_REAL(name), a pointer resolved at start-up. `version` is the glibc symbol
 * version to ask for where several exist, 0 otherwise; HD_REALFN_OPT rows may
 * be missing in the libc at hand (the pointer is NULL then).
 */
#ifndef HD_REAL_H
#define HD_REAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/libc/libc_headers.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* readdir_r: programs still call it */
struct hd_real {
#define HD_REALFN(name, version) __typeof__(name) *name;
#define HD_REALFN_OPT(name, version) __typeof__(name) *name;
#include "runtime/libc/real/real.def"
#undef HD_REALFN
#undef HD_REALFN_OPT
};
#pragma GCC diagnostic pop
extern struct hd_real hd_real;
#define HD_REAL(name) (hd_real.name)

/* Resolves all; 0, or -1 with *missing set to the name of a required function
 * that this libc does not have. Called once, before anything else. */
int hd_real_init(const char **missing);

/* A function that was not there then: before main, or its library was loaded later, perhaps for a plug-in
 * alone. NULL if nobody has it. */
void *hd_real_late(const char *name);

#endif
