/* results.c: the functions of results.def. libc fills the program's memory, uninstrumented, so we say
 * what it fills. Most of it is on the caller's own stack, and then nothing is done.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/string_access.h"

#include "runtime/filter/fill.h"
#include "runtime/icept/sync/sync.h"

/* Is there anything to say? NULL is allowed where <string.h> and others declare that it is not, and
 * the compiler must not believe them. */
static bool matters(const void *to)
{
    __asm__("" : "+r"(to));
    return hd_on() && to && !hd_is_own_stack(to);
}

#define HD_RESULT(type, name, parameters, arguments, to, room, filled)                             \
    HD_EXPORT type name parameters                                                                 \
    {                                                                                              \
        __typeof__(HD_REAL(name)) real = HD_REAL(name);                                            \
        if (HD_UNLIKELY(!real)) /* a constructor before ours */                                    \
            *(void **)&real = dlsym(RTLD_NEXT, #name);                                             \
        if (!matters(to))                                                                          \
            return real arguments;                                                                 \
        u64 site = HD_SITE();                                                                      \
        size_t room_ = (size_t)(room);                                                             \
        hd_fill_keep(to, room_, site);                                                             \
        type r = real arguments;                                                                   \
        size_t filled_ = (size_t)(filled);                                                         \
        if (filled_)                                                                               \
            hd_fill_state(to, filled_, site);                                                      \
        return r;                                                                                  \
    }
#include "runtime/icept/string/results.def"
#undef HD_RESULT

/* The same structures by another name. */
HD_ALIAS(hd_statfs64 __asm__("statfs64"), statfs);
HD_ALIAS(hd_fstatfs64 __asm__("fstatfs64"), fstatfs);
HD_ALIAS(hd_statvfs64 __asm__("statvfs64"), statvfs);
HD_ALIAS(hd_fstatvfs64 __asm__("fstatvfs64"), fstatvfs);
