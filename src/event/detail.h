/* detail.h: what a replay notes about each event besides the event itself, so that a
 * report can show values and callers. Same index as the ring of events; written by
 * runtime/hook/detail.c in HD_MODE_DETAIL only.
 */
#ifndef HD_DETAIL_H
#define HD_DETAIL_H

#include "base/base.h"

#define HD_DETAIL_CALLERS 5

enum { HD_DETAIL_BEFORE = 1, HD_DETAIL_AFTER = 2 };

/* The call of a function that an address on a stack belongs to. */
struct hd_detail_frame {
    u64 pc;  /* in the function; 0 = the address is on no stack, or the function is not known */
    u64 cfa; /* of DWARF: the stack pointer before the call */
    u64 sp;  /* the stack pointer at calls that the function makes */
};

struct hd_detail {
    u64 before, after;             /* what was in memory at `obj`; `size` bytes of it count */
    u64 caller[HD_DETAIL_CALLERS]; /* return addresses around the site, innermost first */
    u32 known;                     /* HD_DETAIL_* */
    u32 n_callers;
    struct hd_detail_frame frame;  /* that holds `obj` */
    u64 reserved;
};
_Static_assert(sizeof(struct hd_detail) == 96, "shared layout");

#endif
