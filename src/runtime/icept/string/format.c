/* format.c: sprintf and its siblings: they write to the program's memory, uninstrumented. How
 * much is found out by formatting once without a buffer; most buffers are on the caller's own
 * stack, where nobody else looks, and then nothing is done. The strings that are formatted are
 * not followed.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/string_access.h"

#include <stdarg.h>
#include <stdio.h>

/* `size` bytes are there, ~0 = not known. */
static void state_writes(char *to, size_t size, const char *format, va_list ap, u64 site)
{
    if (!hd_on() || !size || hd_is_own_stack(to))
        return;
    va_list copy;
    va_copy(copy, ap);
    int n = HD_REAL(vsnprintf)(NULL, 0, format, copy);
    va_end(copy);
    if (n >= 0)
        hd_writes(to, HD_MIN((size_t)n + 1, size), site);
}

/* Those with their arguments in the call. */
#define FORMATTED(size, call)                                                                      \
    ({                                                                                             \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        state_writes(to, size, format, ap, HD_SITE());                                             \
        int r_ = call;                                                                             \
        va_end(ap);                                                                                \
        r_;                                                                                        \
    })

HD_EXPORT int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list ap)
{
    state_writes(to, size, format, ap, HD_SITE());
    return HD_REAL(vsnprintf)(to, size, format, ap);
}

HD_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list ap)
{
    state_writes(to, SIZE_MAX, format, ap, HD_SITE());
    return HD_REAL(vsprintf)(to, format, ap);
}

HD_EXPORT int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    return FORMATTED(size, HD_REAL(vsnprintf)(to, size, format, ap));
}

HD_EXPORT int sprintf(char *restrict to, const char *restrict format, ...)
{
    return FORMATTED(SIZE_MAX, HD_REAL(vsprintf)(to, format, ap));
}

/* For _FORTIFY_SOURCE. */
HD_EXPORT int __vsnprintf_chk(char *to, size_t size, int flag, size_t have, const char *format, va_list ap)
{
    state_writes(to, size, format, ap, HD_SITE());
    return HD_REAL(__vsnprintf_chk)(to, size, flag, have, format, ap);
}

HD_EXPORT int __vsprintf_chk(char *to, int flag, size_t have, const char *format, va_list ap)
{
    state_writes(to, SIZE_MAX, format, ap, HD_SITE());
    return HD_REAL(__vsprintf_chk)(to, flag, have, format, ap);
}

HD_EXPORT int __snprintf_chk(char *to, size_t size, int flag, size_t have, const char *format, ...);
HD_EXPORT int __snprintf_chk(char *to, size_t size, int flag, size_t have, const char *format, ...)
{
    return FORMATTED(size, HD_REAL(__vsnprintf_chk)(to, size, flag, have, format, ap));
}

HD_EXPORT int __sprintf_chk(char *to, int flag, size_t have, const char *format, ...);
HD_EXPORT int __sprintf_chk(char *to, int flag, size_t have, const char *format, ...)
{
    return FORMATTED(SIZE_MAX, HD_REAL(__vsprintf_chk)(to, flag, have, format, ap));
}
