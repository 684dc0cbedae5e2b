/* inlined.h: which functions the compiler has put into the code of another one; see inlined.c. */
#ifndef HD_SYMBOL_INLINED_H
#define HD_SYMBOL_INLINED_H

#include "base/vec.h"
#include "symbol/symbol.h"

struct hd_inlined {
    u32 around;       /* number in the list of the one that it is part of, + 1; 0 = of the function itself */
    u32 ordinal;      /* among those of its name that are part of the same one */
    const char *name; /* NULL = not known; lives as long as the hd_symbols */
    const char *file, *dir, *module; /* where it is written (hd_srcloc), NULL = not known */
    int line;
    int last;         /* line that its code reaches (hd_inlines_reach) */
    const char *path; /* as DWARF has it */
};
struct hd_inlined_range {
    u64 lo, hi;       /* addresses */
    u32 number;       /* in the list */
};
struct hd_inlines {
    struct hd_inlined whole;               /* the function itself */
    HD_VEC(struct hd_inlined) v;           /* each behind the one that it is part of */
    HD_VEC(struct hd_inlined_range) range; /* ... too: the last that covers an address is the innermost */
};

/* Of the function that `addr` is in; all its parts, wherever they are. Nothing without debug information. */
void hd_symbols_inlines(struct hd_symbols *s, u64 addr, struct hd_inlines *out);
/* Sets .last of all, by instructions at `at` of number - 1 in the list; of the function itself: 0. */
void hd_inlines_reach(struct hd_symbols *s, struct hd_inlines *l, const u64 *at, const u32 *number, size_t n);
void hd_inlines_release(struct hd_inlines *l);

#endif
