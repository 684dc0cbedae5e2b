/* string.c: memory and string functions of <string.h>: libc touches the
 * program's memory for it, uninstrumented, so we say what it touches.
 *
 * The lengths of what strcmp & co. will read are found before the scheduling
 * point, the function itself runs after it: what it then really reads may
 * differ if another thread wrote in between, as it would without us.
 *
 * Called by the loader and libc before HD_REAL is resolved: simple loops then.
 */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/string_access.h"

#include "runtime/heap/heap.h"

#define EARLY(name) HD_UNLIKELY(!HD_REAL(name))

/* ---- blocks of bytes ---------------------------------------------------------- */

HD_INLINE void *copy_bytes(void *to, const void *from, size_t n, u64 site)
{
    if (hd_on()) {
        hd_copies(to, n, from, n, site);
    }
    return EARLY(memcpy) ? hd_memcpy(to, from, n) : HD_REAL(memcpy)(to, from, n);
}

HD_INLINE void *move_bytes(void *to, const void *from, size_t n, u64 site)
{
    if (hd_on()) {
        hd_copies(to, n, from, n, site);
    }
    return EARLY(memmove) ? hd_memmove(to, from, n) : HD_REAL(memmove)(to, from, n);
}

HD_INLINE void *set_bytes(void *to, int byte, size_t n, u64 site)
{
    if (hd_on())
        hd_writes(to, n, site);
    return EARLY(memset) ? hd_memset(to, byte, n) : HD_REAL(memset)(to, byte, n);
}

HD_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    return copy_bytes(to, from, n, HD_SITE());
}

HD_EXPORT void *memmove(void *to, const void *from, size_t n)
{
    return move_bytes(to, from, n, HD_SITE());
}

HD_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    return (char *)copy_bytes(to, from, n, HD_SITE()) + n;
}

HD_EXPORT void *memset(void *to, int byte, size_t n) { return set_bytes(to, byte, n, HD_SITE()); }

HD_EXPORT void bzero(void *to, size_t n) { set_bytes(to, 0, n, HD_SITE()); }
HD_SECOND_NAME(__bzero, bzero);

HD_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t have);
HD_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t have)
{
    hd_fortify(n, have);
    return copy_bytes(to, from, n, HD_SITE());
}

HD_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t have);
HD_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t have)
{
    hd_fortify(n, have);
    return move_bytes(to, from, n, HD_SITE());
}

HD_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t have);
HD_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t have)
{
    hd_fortify(n, have);
    return (char *)copy_bytes(to, from, n, HD_SITE()) + n;
}

HD_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t have);
HD_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t have)
{
    hd_fortify(n, have);
    return set_bytes(to, byte, n, HD_SITE());
}

/* clang calls these where the program's own names must not be used. */
HD_SECOND_NAME(__tsan_memcpy, memcpy);
HD_SECOND_NAME(__tsan_memmove, memmove);
HD_SECOND_NAME(__tsan_memset, memset);

/* Bytes a comparison looks at: to the first difference. */
static size_t common_bytes(const u8 *a, const u8 *b, size_t n)
{
    size_t i = 0;
    while (i + 8 <= n && *(const u64 *)(a + i) == *(const u64 *)(b + i))
        i += 8;
    while (i < n && a[i] == b[i])
        i++;
    return i < n ? i + 1 : n;
}

HD_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
    if (hd_on() && !(hd_is_own_stack(a) && hd_is_own_stack(b))) {
        size_t k = common_bytes(a, b, n);
        hd_reads_two(a, k, b, k, HD_SITE());
    }
    return EARLY(memcmp) ? hd_memcmp(a, b, n) : HD_REAL(memcmp)(a, b, n);
}
HD_SECOND_NAME(bcmp, memcmp);

HD_EXPORT void *memchr(const void *p, int c, size_t n)
{
    const u8 *s = p;
    if (EARLY(memchr)) {
        for (size_t i = 0; i < n; i++)
            if (s[i] == (u8)c)
                return (void *)(s + i);
        return NULL;
    }
    if (hd_on() && !hd_is_own_stack(s)) {
        const u8 *hit = HD_REAL(memchr)(s, c, n);
        hd_reads(s, hit ? (size_t)(hit - s) + 1 : n, HD_SITE());
    }
    return HD_REAL(memchr)(s, c, n);
}

HD_EXPORT void *memrchr(const void *p, int c, size_t n)
{
    const u8 *s = p;
    if (EARLY(memrchr)) {
        while (n--)
            if (s[n] == (u8)c)
                return (void *)(s + n);
        return NULL;
    }
    if (hd_on() && !hd_is_own_stack(s)) {
        const u8 *hit = HD_REAL(memrchr)(s, c, n);
        const u8 *first = hit ? hit : s;
        hd_reads(first, (size_t)(s + n - first), HD_SITE());
    }
    return HD_REAL(memrchr)(s, c, n);
}

HD_EXPORT void *memmem(const void *hay, size_t n, const void *needle, size_t k)
{
    if (hd_on()) {
        const char *hit = HD_REAL(memmem)(hay, n, needle, k);
        hd_reads_two(hay, hit ? (size_t)(hit - (const char *)hay) + k : n, needle, k, HD_SITE());
    }
    return HD_REAL(memmem)(hay, n, needle, k);
}

/* ---- length and copy ------------------------------------------------------------ */

/* Length of s without telling anybody. */
static size_t length(const char *s) { return EARLY(strlen) ? hd_strlen(s) : HD_REAL(strlen)(s); }

static size_t length_up_to(const char *s, size_t max)
{
    if (HD_LIKELY(HD_REAL(strnlen) != NULL))
        return HD_REAL(strnlen)(s, max);
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

/* Bytes read from a string of which at most max are looked at. */
static size_t span(const char *s, size_t max)
{
    size_t n = length_up_to(s, max);
    return n < max ? n + 1 : max;
}

HD_EXPORT size_t strlen(const char *s)
{
    if (hd_on() && !hd_is_own_stack(s))
        hd_reads(s, length(s) + 1, HD_SITE());
    return length(s);
}

HD_EXPORT size_t strnlen(const char *s, size_t max)
{
    if (hd_on() && !hd_is_own_stack(s))
        hd_reads(s, span(s, max), HD_SITE());
    return length_up_to(s, max);
}

HD_INLINE char *copy_string(char *to, const char *from, u64 site)
{
    if (hd_on()) {
        size_t n = length(from) + 1;
        hd_copies(to, n, from, n, site);
    }
    if (EARLY(strcpy))
        return hd_memcpy(to, from, hd_strlen(from) + 1);
    return HD_REAL(strcpy)(to, from);
}

/* strncpy and stpncpy fill up with zeros: all n bytes are written. */
HD_INLINE char *copy_part(char *to, const char *from, size_t n, u64 site)
{
    if (hd_on()) {
        hd_copies(to, n, from, span(from, n), site);
    }
    if (EARLY(strncpy)) {
        size_t k = length_up_to(from, n);
        hd_memcpy(to, from, k);
        hd_memset(to + k, 0, n - k);
        return to;
    }
    return HD_REAL(strncpy)(to, from, n);
}

HD_INLINE char *append(char *to, const char *from, size_t max, u64 site)
{
    size_t at = length(to), n = max == SIZE_MAX ? length(from) : length_up_to(from, max);
    if (hd_on()) {
        hd_reads(to, at + 1, site);
        hd_copies(to + at, n + 1, from, n < max ? n + 1 : n, site);
        at = length(to);
        n = max == SIZE_MAX ? length(from) : length_up_to(from, max);
    }
    if (EARLY(memcpy))
        hd_memcpy(to + at, from, n);
    else
        HD_REAL(memcpy)(to + at, from, n);
    to[at + n] = 0;
    return to;
}

HD_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    return copy_string(to, from, HD_SITE());
}

HD_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    copy_string(to, from, HD_SITE());
    return to + length(to);
}
HD_SECOND_NAME(__stpcpy, stpcpy);

HD_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    return copy_part(to, from, n, HD_SITE());
}

HD_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
    return append(to, from, SIZE_MAX, HD_SITE());
}

HD_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n)
{
    return append(to, from, n, HD_SITE());
}

HD_EXPORT char *__strcpy_chk(char *to, const char *from, size_t have);
HD_EXPORT char *__strcpy_chk(char *to, const char *from, size_t have)
{
    hd_fortify(length(from) + 1, have);
    return copy_string(to, from, HD_SITE());
}

HD_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t have);
HD_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t have)
{
    hd_fortify(length(from) + 1, have);
    copy_string(to, from, HD_SITE());
    return to + length(to);
}

HD_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t have);
HD_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t have)
{
    hd_fortify(n, have);
    return copy_part(to, from, n, HD_SITE());
}

HD_EXPORT char *__strcat_chk(char *to, const char *from, size_t have);
HD_EXPORT char *__strcat_chk(char *to, const char *from, size_t have)
{
    hd_fortify(length(to) + length(from) + 1, have);
    return append(to, from, SIZE_MAX, HD_SITE());
}

HD_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t have);
HD_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t have)
{
    hd_fortify(length(to) + length_up_to(from, n) + 1, have);
    return append(to, from, n, HD_SITE());
}

/* Copies n bytes of s into a block of its own. */
static char *duplicate(const char *s, size_t n, u64 site)
{
    char *to = hd_program_malloc(n + 1, site);
    if (!to)
        return NULL;
    if (EARLY(memcpy))
        hd_memcpy(to, s, n);
    else
        HD_REAL(memcpy)(to, s, n);
    to[n] = 0;
    return to;
}

HD_EXPORT char *strdup(const char *s)
{
    if (hd_on() && !hd_is_own_stack(s))
        hd_reads(s, length(s) + 1, HD_SITE());
    return duplicate(s, length(s), HD_SITE());
}
HD_SECOND_NAME(__strdup, strdup);

HD_EXPORT char *strndup(const char *s, size_t max)
{
    if (hd_on() && !hd_is_own_stack(s))
        hd_reads(s, span(s, max), HD_SITE());
    return duplicate(s, length_up_to(s, max), HD_SITE());
}
HD_SECOND_NAME(__strndup, strndup);

/* ---- comparing --------------------------------------------------------------------- */

static u8 lower(u8 c) { return c >= 'A' && c <= 'Z' ? (u8)(c + 32) : c; }

/* Bytes of either string a comparison looks at. With `fold`, letters outside
 * ASCII that differ in case only end the estimate early. */
static size_t common_string(const char *a, const char *b, size_t max, bool fold)
{
    for (size_t i = 0; i < max; i++) {
        u8 x = (u8)a[i], y = (u8)b[i];
        if ((fold ? lower(x) != lower(y) : x != y) || !x)
            return i + 1;
    }
    return max;
}

HD_INLINE void compares(const char *a, const char *b, size_t max, bool fold, u64 site)
{
    if (hd_is_own_stack(a) && hd_is_own_stack(b))
        return;
    size_t n = common_string(a, b, max, fold);
    hd_reads_two(a, n, b, n, site);
}

HD_EXPORT int strcmp(const char *a, const char *b)
{
    if (hd_on())
        compares(a, b, SIZE_MAX, false, HD_SITE());
    return EARLY(strcmp) ? hd_strcmp(a, b) : HD_REAL(strcmp)(a, b);
}

HD_EXPORT int strncmp(const char *a, const char *b, size_t n)
{
    if (hd_on())
        compares(a, b, n, false, HD_SITE());
    if (EARLY(strncmp)) {
        size_t k = common_string(a, b, n, false);
        return k ? (u8)a[k - 1] - (u8)b[k - 1] : 0;
    }
    return HD_REAL(strncmp)(a, b, n);
}

HD_EXPORT int strcasecmp(const char *a, const char *b)
{
    if (hd_on())
        compares(a, b, SIZE_MAX, true, HD_SITE());
    if (EARLY(strcasecmp)) {
        size_t k = common_string(a, b, SIZE_MAX, true);
        return lower((u8)a[k - 1]) - lower((u8)b[k - 1]);
    }
    return HD_REAL(strcasecmp)(a, b);
}

HD_EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
    if (hd_on())
        compares(a, b, n, true, HD_SITE());
    if (EARLY(strncasecmp)) {
        size_t k = common_string(a, b, n, true);
        return k ? lower((u8)a[k - 1]) - lower((u8)b[k - 1]) : 0;
    }
    return HD_REAL(strncasecmp)(a, b, n);
}

/* ---- searching ------------------------------------------------------------------------ */

/* What a search in `s` looked at: up to its hit of k bytes, or all of it. */
HD_INLINE void searched(const char *s, const char *hit, size_t k, u64 site)
{
    hd_reads(s, hit ? (size_t)(hit - s) + k : length(s) + 1, site);
}

HD_EXPORT char *strchr(const char *s, int c)
{
    if (EARLY(strchr)) {
        for (;; s++) {
            if (*s == (char)c)
                return (char *)s;
            if (!*s)
                return NULL;
        }
    }
    if (hd_on() && !hd_is_own_stack(s))
        searched(s, HD_REAL(strchr)(s, c), 1, HD_SITE());
    return HD_REAL(strchr)(s, c);
}
HD_SECOND_NAME(index, strchr);

HD_EXPORT char *strchrnul(const char *s, int c)
{
    if (EARLY(strchrnul)) {
        while (*s && *s != (char)c)
            s++;
        return (char *)s;
    }
    if (hd_on() && !hd_is_own_stack(s))
        searched(s, HD_REAL(strchrnul)(s, c), 1, HD_SITE());
    return HD_REAL(strchrnul)(s, c);
}

HD_EXPORT char *strrchr(const char *s, int c)
{
    if (EARLY(strrchr)) {
        const char *hit = NULL;
        do
            if (*s == (char)c)
                hit = s;
        while (*s++);
        return (char *)hit;
    }
    if (hd_on() && !hd_is_own_stack(s))
        searched(s, NULL, 1, HD_SITE());
    return HD_REAL(strrchr)(s, c);
}
HD_SECOND_NAME(rindex, strrchr);

/* No loop of our own for these: nothing calls them before start-up, and if it
 * did, the next definition can be found by hand. */
#define LATE(name) (HD_REAL(name) ? HD_REAL(name) : (__typeof__(name) *)dlsym(RTLD_NEXT, #name))

HD_EXPORT char *strstr(const char *s, const char *needle)
{
    if (hd_on()) {
        size_t k = length(needle);
        searched(s, HD_REAL(strstr)(s, needle), k, HD_SITE());
        hd_reads(needle, k + 1, HD_SITE());
    }
    return LATE(strstr)(s, needle);
}

HD_EXPORT char *strcasestr(const char *s, const char *needle)
{
    if (hd_on()) {
        size_t k = length(needle);
        searched(s, HD_REAL(strcasestr)(s, needle), k, HD_SITE());
        hd_reads(needle, k + 1, HD_SITE());
    }
    return LATE(strcasestr)(s, needle);
}

HD_EXPORT size_t strspn(const char *s, const char *set)
{
    if (hd_on()) {
        hd_reads_two(s, HD_REAL(strspn)(s, set) + 1, set, length(set) + 1, HD_SITE());
    }
    return LATE(strspn)(s, set);
}

HD_EXPORT size_t strcspn(const char *s, const char *set)
{
    if (hd_on()) {
        hd_reads_two(s, HD_REAL(strcspn)(s, set) + 1, set, length(set) + 1, HD_SITE());
    }
    return LATE(strcspn)(s, set);
}

HD_EXPORT char *strpbrk(const char *s, const char *set)
{
    if (hd_on()) {
        searched(s, HD_REAL(strpbrk)(s, set), 1, HD_SITE());
        hd_reads(set, length(set) + 1, HD_SITE());
    }
    return LATE(strpbrk)(s, set);
}
