/* format.c: sprintf and its siblings: they write to the program's memory, uninstrumented. How
 * much is found out by formatting once without a buffer; most buffers are on the caller's own
 * stack, where nobody else looks, and then nothing is done. What they read for the format, and
 * what sscanf assigns: format_args.h. Those that write to streams are in icept/io/stream.c.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/string_access.h"

#include <stdarg.h>
#include <stdio.h>

#include "runtime/filter/fill.h"
#include "runtime/icept/string/format_args.h"
#include "runtime/icept/sync/sync.h"

/* `size` bytes are there, ~0 = not known. */
static void state(char *to, size_t size, const char *format, va_list ap, u64 site)
{
    if (!hd_on())
        return;
    hd_format_state(format, ap, site);
    if (!size || hd_is_own_stack(to))
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
        state(to, size, format, ap, HD_SITE());                                             \
        int r_ = call;                                                                             \
        va_end(ap);                                                                                \
        r_;                                                                                        \
    })

HD_EXPORT int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list ap)
{
    state(to, size, format, ap, HD_SITE());
    return HD_REAL(vsnprintf)(to, size, format, ap);
}

HD_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list ap)
{
    state(to, SIZE_MAX, format, ap, HD_SITE());
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
    state(to, size, format, ap, HD_SITE());
    return HD_REAL(__vsnprintf_chk)(to, size, flag, have, format, ap);
}

HD_EXPORT int __vsprintf_chk(char *to, int flag, size_t have, const char *format, va_list ap)
{
    state(to, SIZE_MAX, format, ap, HD_SITE());
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

/* ---- into a block of its own, or a descriptor ------------------------------------------------- */

static int format_block(char **to, const char *format, va_list ap, u64 site)
{
    if (!hd_on())
        return HD_REAL(vasprintf)(to, format, ap);
    hd_format_state(format, ap, site);
    hd_fill_keep(to, sizeof *to, site);
    int r = HD_REAL(vasprintf)(to, format, ap);
    if (r >= 0 && !hd_is_own_stack(to))
        hd_fill_state(to, sizeof *to, site);
    return r;
}

HD_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list ap)
{
    return format_block(to, format, ap, HD_SITE());
}

#define WITH_ARGUMENTS(call)                                                                       \
    ({                                                                                             \
        va_list ap;                                                                                \
        va_start(ap, format);                                                                      \
        int r_ = call;                                                                             \
        va_end(ap);                                                                                \
        r_;                                                                                        \
    })

HD_EXPORT int asprintf(char **restrict to, const char *restrict format, ...)
{
    return WITH_ARGUMENTS(format_block(to, format, ap, HD_SITE()));
}

/* ---- sscanf: scanf of streams is in icept/io/stdio.c ------------------------------------------- */

typedef int scan_fn(const char *text, const char *format, va_list ap);

static int scan(scan_fn *real, const char *text, const char *format, va_list ap, u64 site)
{
    struct hd_scan s;
    if (!hd_on())
        return real(text, format, ap);
    hd_scan_keep(&s, format, ap, site);
    int r = real(text, format, ap);
    hd_scan_state(&s, r, site);
    return r;
}

/* Two names each, as for scanf. */
#define SSCANF(suffix, real)                                                                       \
    HD_EXPORT int hd_i_vsscanf##suffix(const char *text, const char *format, va_list ap)           \
    {                                                                                              \
        return scan(real, text, format, ap, HD_SITE());                                            \
    }                                                                                              \
    HD_EXPORT int hd_i_sscanf##suffix(const char *text, const char *format, ...)                   \
    {                                                                                              \
        return WITH_ARGUMENTS(scan(real, text, format, ap, HD_SITE()));                            \
    }

HD_EXPORT int hd_i_vsscanf(const char *text, const char *format, va_list ap) __asm__("vsscanf");
HD_EXPORT int hd_i_sscanf(const char *text, const char *format, ...) __asm__("sscanf");
HD_EXPORT int hd_i_vsscanf_c99(const char *text, const char *format, va_list ap) __asm__("__isoc99_vsscanf");
HD_EXPORT int hd_i_sscanf_c99(const char *text, const char *format, ...) __asm__("__isoc99_sscanf");
SSCANF(, HD_REAL(vsscanf))
SSCANF(_c99, HD_REAL(__isoc99_vsscanf))
