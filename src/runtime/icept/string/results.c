/* results.c: the functions of results.def. */
#define HD_KEEP_BUILTINS
#include "runtime/icept/string/results.h"

#include "runtime/icept/sync/sync.h"

#define matters hd_result_matters
#define REAL HD_RESULT_REAL

/* Those of `n` places that matter, in front; how many. */
static int places(struct iovec *part, int n)
{
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (matters(part[i].iov_base))
            part[kept++] = part[i];
    return kept;
}

static size_t size_of(const struct iovec *part, int n)
{
    size_t size = 0;
    for (int i = 0; i < n; i++)
        size += part[i].iov_len;
    return size;
}

#define FILL(type, name, arguments, to, room, filled)                                              \
    if (!matters(to))                                                                              \
        return real arguments;                                                                     \
    u64 site = HD_SITE();                                                                          \
    size_t room_ = (size_t)(room);                                                                 \
    hd_fill_keep(to, room_, site);                                                                 \
    type r = real arguments;                                                                       \
    size_t filled_ = (size_t)(filled);                                                             \
    if (filled_)                                                                                   \
        hd_fill_state(to, filled_, site);                                                          \
    return r

#define HD_RESULT(type, name, parameters, arguments, to, room, filled)                             \
    HD_EXPORT type name parameters                                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        FILL(type, name, arguments, to, room, filled);                                             \
    }
#define HD_RESULT_OF(type, name, parameters, arguments, from, size, to, room, filled)              \
    HD_EXPORT type name parameters                                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        if (matters(from))                                                                         \
            hd_reads(from, size, HD_SITE());                                                       \
        FILL(type, name, arguments, to, room, filled);                                             \
    }
#define HD_RESULTS(type, name, parameters, arguments, is_good, ...)                                \
    HD_EXPORT type name parameters                                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        struct iovec part[] = {__VA_ARGS__};                                                       \
        int n_parts = places(part, (int)HD_COUNT(part));                                           \
        if (!n_parts)                                                                              \
            return real arguments;                                                                 \
        u64 site = HD_SITE();                                                                      \
        hd_fill_keep_iov(part, n_parts, site);                                                     \
        type r = real arguments;                                                                   \
        if (is_good)                                                                               \
            hd_fill_state_iov(part, n_parts, size_of(part, n_parts), site);                        \
        return r;                                                                                  \
    }
#include "runtime/icept/string/results.def"
#undef HD_RESULT
#undef HD_RESULT_OF
#undef HD_RESULTS

/* Both results are known before they are written. */
#define SINCOS(name, type)                                                                         \
    HD_EXPORT void name(type x, type *sine, type *cosine)                                          \
    {                                                                                              \
        REAL(name);                                                                                \
        type s, c;                                                                                 \
        real(x, &s, &c);                                                                           \
        if (matters(sine))                                                                         \
            hd_writes(sine, sizeof s, HD_SITE());                                                  \
        *sine = s;                                                                                 \
        if (matters(cosine))                                                                       \
            hd_writes(cosine, sizeof c, HD_SITE());                                                \
        *cosine = c;                                                                               \
    }
SINCOS(sincos, double)
SINCOS(sincosf, float)
SINCOS(sincosl, long double)

/* What was converted is known afterwards. */
HD_EXPORT size_t iconv(iconv_t how, char **restrict in, size_t *restrict in_left, char **restrict out,
                       size_t *restrict out_left)
{
    REAL(iconv);
    const char *from = in ? *in : NULL;
    char *to = out ? *out : NULL;
    if (!matters(to) && !matters(from))
        return real(how, in, in_left, out, out_left);
    u64 site = HD_SITE();
    if (matters(to))
        hd_fill_keep(to, *out_left, site);
    size_t r = real(how, in, in_left, out, out_left);
    int e = errno;
    if (matters(to))
        hd_fill_state(to, (size_t)(*out - to), site);
    if (matters(from))
        hd_reads(from, (size_t)(*in - from), site);
    errno = e;
    return r;
}

/* Elements change places from here on; the comparison function is the program's. */
HD_EXPORT void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    REAL(qsort);
    if (n > 1 && matters(base))
        hd_writes(base, n * size, HD_SITE());
    real(base, n, size, compare);
}

HD_EXPORT void qsort_r(void *base, size_t n, size_t size, int (*compare)(const void *, const void *, void *), void *arg)
{
    REAL(qsort_r);
    if (n > 1 && matters(base))
        hd_writes(base, n * size, HD_SITE());
    real(base, n, size, compare, arg);
}

/* The same structures by another name. */
HD_ALIAS(hd_statfs64 __asm__("statfs64"), statfs);
HD_ALIAS(hd_fstatfs64 __asm__("fstatfs64"), fstatfs);
HD_ALIAS(hd_statvfs64 __asm__("statvfs64"), statvfs);
HD_ALIAS(hd_fstatvfs64 __asm__("fstatvfs64"), fstatvfs);
