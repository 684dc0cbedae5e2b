/* results.h: what results.c and places.c share: libc fills the program's memory, uninstrumented, so we
 * say what it fills. Most of it is on the caller's own stack, and then nothing is done. */
#ifndef HD_RESULTS_H
#define HD_RESULTS_H

#include "runtime/icept/string/string_access.h"

#include "runtime/filter/fill.h"

/* Is there anything to say? NULL is allowed where <string.h> and others declare that it is not, and
 * the compiler must not believe them. */
HD_INLINE bool hd_result_matters(const void *to)
{
    __asm__("" : "+r"(to));
    return hd_on() && to && !hd_is_own_stack(to);
}

/* `real`: the real function; not known yet in a constructor before ours, nor if its library came later. */
#define HD_RESULT_REAL(name)                                                                       \
    __typeof__(HD_REAL(name)) real = HD_REAL(name);                                                \
    if (HD_UNLIKELY(!real))                                                                        \
    *(void **)&real = hd_real_late(#name)

/* A stream of open_memstream writes where its text is, and how long: now. */
void hd_memstream_write(FILE *f, bool is_last, u64 site);

#endif
