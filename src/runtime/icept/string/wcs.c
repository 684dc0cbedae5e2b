/* wcs.c: the wide-character twins of string.c, same ground rules.
 * Nothing calls these before start-up: a call that comes nevertheless finds the
 * next definition by hand.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/string_access.h"

#include "runtime/heap/heap.h"

#define WIDE sizeof(wchar_t)
#define REAL(name) (HD_LIKELY(HD_REAL(name) != NULL) ? HD_REAL(name)                               \
                                                     : (__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/* Bytes of s a function looks at that stops at the end or after max. */
static size_t span(const wchar_t *s, size_t max)
{
    size_t n = HD_REAL(wcsnlen)(s, max);
    return (n < max ? n + 1 : max) * WIDE;
}

static size_t all(const wchar_t *s) { return (HD_REAL(wcslen)(s) + 1) * WIDE; }

static size_t common(const wchar_t *a, const wchar_t *b, size_t max, bool is_text)
{
    for (size_t i = 0; i < max; i++)
        if (a[i] != b[i] || (is_text && !a[i]))
            return (i + 1) * WIDE;
    return max * WIDE;
}

HD_EXPORT size_t wcslen(const wchar_t *s)
{
    if (hd_on())
        hd_reads(s, all(s), HD_SITE());
    return REAL(wcslen)(s);
}

HD_EXPORT size_t wcsnlen(const wchar_t *s, size_t max)
{
    if (hd_on())
        hd_reads(s, span(s, max), HD_SITE());
    return REAL(wcsnlen)(s, max);
}

HD_EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    if (hd_on()) {
        hd_copies(to, all(from), from, all(from), HD_SITE());
    }
    return REAL(wcscpy)(to, from);
}

HD_EXPORT wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    if (hd_on()) {
        hd_copies(to, n * WIDE, from, span(from, n), HD_SITE());
    }
    return REAL(wcsncpy)(to, from, n);
}

HD_INLINE wchar_t *append(wchar_t *to, const wchar_t *from, size_t max, u64 site)
{
    if (hd_on()) {
        hd_reads(to, all(to), site);
        hd_copies(to + HD_REAL(wcslen)(to), (HD_REAL(wcsnlen)(from, max) + 1) * WIDE, from,
                  span(from, max), site);
    }
    wchar_t *end = to + REAL(wcslen)(to);
    size_t n = REAL(wcsnlen)(from, max);
    REAL(wmemcpy)(end, from, n);
    end[n] = 0;
    return to;
}

HD_EXPORT wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
    return append(to, from, SIZE_MAX / WIDE, HD_SITE());
}

HD_EXPORT wchar_t *wcsncat(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    return append(to, from, HD_MIN(n, SIZE_MAX / WIDE), HD_SITE());
}

HD_EXPORT wchar_t *wcsdup(const wchar_t *s)
{
    if (hd_on())
        hd_reads(s, all(s), HD_SITE());
    size_t n = REAL(wcslen)(s) + 1;
    wchar_t *to = hd_program_malloc(n * WIDE, HD_SITE());
    return to ? REAL(wmemcpy)(to, s, n) : NULL;
}

HD_INLINE void compares(const wchar_t *a, const wchar_t *b, size_t max, bool is_text, u64 site)
{
    size_t n = common(a, b, max, is_text);
    hd_reads_two(a, n, b, n, site);
}

HD_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
    if (hd_on())
        compares(a, b, SIZE_MAX / WIDE, true, HD_SITE());
    return REAL(wcscmp)(a, b);
}

HD_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    if (hd_on())
        compares(a, b, n, true, HD_SITE());
    return REAL(wcsncmp)(a, b, n);
}

HD_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    if (hd_on())
        compares(a, b, n, false, HD_SITE());
    return REAL(wmemcmp)(a, b, n);
}

HD_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
    if (hd_on()) {
        const wchar_t *hit = HD_REAL(wcschr)(s, c);
        hd_reads(s, hit ? (size_t)(hit - s + 1) * WIDE : all(s), HD_SITE());
    }
    return REAL(wcschr)(s, c);
}

HD_EXPORT wchar_t *wcsrchr(const wchar_t *s, wchar_t c)
{
    if (hd_on())
        hd_reads(s, all(s), HD_SITE());
    return REAL(wcsrchr)(s, c);
}

HD_EXPORT wchar_t *wcsstr(const wchar_t *s, const wchar_t *needle)
{
    if (hd_on()) {
        const wchar_t *hit = HD_REAL(wcsstr)(s, needle);
        hd_reads_two(s, hit ? (size_t)(hit - s) * WIDE + all(needle) - WIDE : all(s), needle,
                     all(needle), HD_SITE());
    }
    return REAL(wcsstr)(s, needle);
}

HD_EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    if (hd_on()) {
        hd_copies(to, n * WIDE, from, n * WIDE, HD_SITE());
    }
    return REAL(wmemcpy)(to, from, n);
}

HD_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    if (hd_on()) {
        hd_copies(to, n * WIDE, from, n * WIDE, HD_SITE());
    }
    return REAL(wmemmove)(to, from, n);
}

HD_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
    if (hd_on())
        hd_writes(to, n * WIDE, HD_SITE());
    return REAL(wmemset)(to, c, n);
}

HD_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
    if (hd_on()) {
        const wchar_t *hit = HD_REAL(wmemchr)(s, c, n);
        hd_reads(s, (hit ? (size_t)(hit - s) + 1 : n) * WIDE, HD_SITE());
    }
    return REAL(wmemchr)(s, c, n);
}
