/* malloc.c: the names under which programs reach the heap: C, and C++'s
 * operators new and delete in all their forms. libc's own users (strdup inside
 * libc, asprintf, fopen, ...) end here too.
 */
#include "runtime/heap/heap.h"

#include "runtime/core/init.h"
#include "runtime/icept/signal/unsafe.h"

#define PAGE 4096
#define LOADER_BYTES 8192 /* more than a message with two paths */

static void *or_enomem(void *p)
{
    if (HD_UNLIKELY(!p))
        errno = ENOMEM;
    return p;
}

/* Before our constructor has ended only the loader allocates, messages about functions that this
 * C library lacks among others, which name the file of our library. Where the program's blocks lie
 * must not depend on the folder Heddle is in: replays compare addresses. */
HD_INLINE size_t rounded(size_t size)
{
    return HD_UNLIKELY(!hd_is_ready) && size < LOADER_BYTES ? LOADER_BYTES : size;
}

HD_INLINE void *take(size_t size, size_t align, u64 site)
{
    if (HD_UNLIKELY(size > PTRDIFF_MAX))
        return NULL;
    return hd_malloc(rounded(size), align, site);
}

HD_EXPORT void *malloc(size_t size)
{
    HD_UNSAFE();
    return or_enomem(take(size, 16, HD_SITE()));
}

extern __typeof__(malloc) own_malloc
    __attribute__((alias("malloc"), copy(malloc), visibility("hidden")));
void *hd_program_malloc(size_t size, u64 site)
{
    return malloc == own_malloc ? or_enomem(take(size, 16, site)) : malloc(size);
}

HD_EXPORT void *calloc(size_t n, size_t size)
{
    size_t bytes;
    HD_UNSAFE();
    if (HD_UNLIKELY(__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX))
        return or_enomem(NULL);
    return or_enomem(hd_calloc(rounded(bytes), HD_SITE()));
}

HD_EXPORT void free(void *p)
{
    HD_UNSAFE();
    hd_free(p, HD_SITE());
}
HD_EXPORT void cfree(void *p);
HD_EXPORT void cfree(void *p) { hd_free(p, HD_SITE()); }

HD_INLINE void *change(void *p, size_t size, u64 site)
{
    if (!p)
        return take(size, 16, site);
    return HD_UNLIKELY(size > PTRDIFF_MAX) ? NULL : hd_realloc(p, rounded(size), site);
}

HD_EXPORT void *realloc(void *p, size_t size)
{
    HD_UNSAFE();
    if (p && !size) { /* as glibc does it */
        hd_free(p, HD_SITE());
        return NULL;
    }
    return or_enomem(change(p, size, HD_SITE()));
}

HD_EXPORT void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (HD_UNLIKELY(__builtin_mul_overflow(n, size, &bytes)))
        return or_enomem(NULL);
    if (p && !bytes) {
        hd_free(p, HD_SITE());
        return NULL;
    }
    return or_enomem(change(p, bytes, HD_SITE()));
}

/* ---- aligned -------------------------------------------------------------------- */

/* glibc takes any alignment and rounds it up to a power of two. */
HD_INLINE void *take_aligned(size_t align, size_t size, u64 site)
{
    if (align > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    size_t power = 16;
    while (power < align)
        power *= 2;
    return or_enomem(take(size, power, site));
}

HD_EXPORT void *memalign(size_t align, size_t size) { return take_aligned(align, size, HD_SITE()); }

HD_EXPORT void *aligned_alloc(size_t align, size_t size)
{
    return take_aligned(align, size, HD_SITE());
}

HD_EXPORT void *__libc_memalign(size_t align, size_t size);
HD_EXPORT void *__libc_memalign(size_t align, size_t size)
{
    return take_aligned(align, size, HD_SITE());
}

HD_EXPORT int posix_memalign(void **out, size_t align, size_t size)
{
    if (align < sizeof(void *) || (align & (align - 1)))
        return EINVAL;
    void *p = take(size, HD_MAX(align, (size_t)16), HD_SITE());
    if (!p)
        return ENOMEM;
    *out = p;
    return 0;
}

HD_EXPORT void *valloc(size_t size) { return take_aligned(PAGE, size, HD_SITE()); }

HD_EXPORT void *pvalloc(size_t size)
{
    if (size > PTRDIFF_MAX - PAGE)
        return or_enomem(NULL);
    return take_aligned(PAGE, size ? HD_ALIGN_UP(size, PAGE) : PAGE, HD_SITE());
}

/* ---- about the heap ---------------------------------------------------------------- */

/* What was asked for, not what the block could hold: the oracle would take the
 * use of the rest for an overflow. */
HD_EXPORT size_t malloc_usable_size(void *p) { return p ? hd_heap_size(p) : 0; }

HD_EXPORT int malloc_trim(size_t pad)
{
    hd_heap_lock();
    bool any = hd_heap_trim(&hd_heap);
    hd_heap_unlock();
    return any;
}

HD_EXPORT int mallopt(int param, int value) { return 1; }

HD_EXPORT struct mallinfo2 mallinfo2(void)
{
    u64 taken = hd_heap.small.top - hd_heap.small.start + hd_heap.large.top - hd_heap.large.start;
    return (struct mallinfo2){
        .arena = taken, .uordblks = hd_heap.live_bytes, .fordblks = taken - hd_heap.live_bytes};
}

HD_EXPORT struct mallinfo mallinfo(void)
{
    struct mallinfo2 m = mallinfo2();
    return (struct mallinfo){
        .arena = (int)m.arena, .uordblks = (int)m.uordblks, .fordblks = (int)m.fordblks};
}

/* Locking all memory would touch every page of the region. */
HD_EXPORT int mlockall(int flags) { return 0; }

/* ---- C++ ------------------------------------------------------------------------------
 * A program may replace `operator new(size_t)` alone; the other forms are then
 * made of it. The C++ library's are, so they take over where the program has
 * one of its own (seen by the address the name resolves to). The further
 * arguments (size, alignment, nothrow tag) go on as they came. */

typedef void *new_fn(size_t size, u64 a, u64 b);
typedef void delete_fn(void *p, u64 a, u64 b);

static HD_COLD void *next_definition(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f)
        HD_REAL(abort)();
    return f;
}

/* The base forms, and hidden names for them to compare with. Out of memory: the
 * C++ library's operator comes back to malloc, which fails again, then calls the
 * new-handler and throws. */
#define NEW_BASE(name, alignment)                                                                  \
    HD_EXPORT void *name(size_t size, u64 a, u64 b);                                               \
    extern new_fn own##name __attribute__((alias(#name), visibility("hidden")));                   \
    HD_EXPORT void *name(size_t size, u64 a, u64 b)                                                \
    {                                                                                              \
        HD_UNSAFE_OPERATOR("operator new");                                                        \
        void *p = take(size, alignment, HD_SITE());                                                \
        return HD_LIKELY(p != NULL) ? p : ((new_fn *)next_definition(#name))(size, a, b);          \
    }
#define NEW_OF(base, name, alignment)                                                              \
    HD_EXPORT void *name(size_t size, u64 a, u64 b);                                               \
    HD_EXPORT void *name(size_t size, u64 a, u64 b)                                                \
    {                                                                                              \
        static new_fn *next;                                                                       \
        HD_UNSAFE_OPERATOR("operator new");                                                        \
        void *p = base == own##base ? take(size, alignment, HD_SITE()) : NULL;                     \
        if (HD_LIKELY(p != NULL))                                                                  \
            return p;                                                                              \
        if (!next)                                                                                 \
            next = (new_fn *)next_definition(#name);                                               \
        return next(size, a, b);                                                                   \
    }
#define DELETE_BASE(name)                                                                          \
    HD_EXPORT void name(void *p, u64 a, u64 b);                                                    \
    extern delete_fn own##name __attribute__((alias(#name), visibility("hidden")));                \
    HD_EXPORT void name(void *p, u64 a, u64 b)                                                     \
    {                                                                                              \
        HD_UNSAFE_OPERATOR("operator delete");                                                     \
        hd_free(p, HD_SITE());                                                                     \
    }
#define DELETE_OF(base, name)                                                                      \
    HD_EXPORT void name(void *p, u64 a, u64 b);                                                    \
    HD_EXPORT void name(void *p, u64 a, u64 b)                                                     \
    {                                                                                              \
        static delete_fn *next;                                                                    \
        HD_UNSAFE_OPERATOR("operator delete");                                                     \
        if (HD_LIKELY(base == own##base)) {                                                        \
            hd_free(p, HD_SITE());                                                                 \
            return;                                                                                \
        }                                                                                          \
        if (!next)                                                                                 \
            next = (delete_fn *)next_definition(#name);                                            \
        next(p, a, b);                                                                             \
    }

NEW_BASE(_Znwm, 16)
NEW_OF(_Znwm, _Znam, 16)
NEW_OF(_Znwm, _ZnwmRKSt9nothrow_t, 16)
NEW_OF(_Znwm, _ZnamRKSt9nothrow_t, 16)
NEW_BASE(_ZnwmSt11align_val_t, HD_MAX(a, (u64)16))
NEW_OF(_ZnwmSt11align_val_t, _ZnamSt11align_val_t, HD_MAX(a, (u64)16))
NEW_OF(_ZnwmSt11align_val_t, _ZnwmSt11align_val_tRKSt9nothrow_t, HD_MAX(a, (u64)16))
NEW_OF(_ZnwmSt11align_val_t, _ZnamSt11align_val_tRKSt9nothrow_t, HD_MAX(a, (u64)16))

DELETE_BASE(_ZdlPv)
DELETE_OF(_ZdlPv, _ZdaPv)
DELETE_OF(_ZdlPv, _ZdlPvm)
DELETE_OF(_ZdlPv, _ZdaPvm)
DELETE_OF(_ZdlPv, _ZdlPvRKSt9nothrow_t)
DELETE_OF(_ZdlPv, _ZdaPvRKSt9nothrow_t)
DELETE_BASE(_ZdlPvSt11align_val_t)
DELETE_OF(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t)
DELETE_OF(_ZdlPvSt11align_val_t, _ZdlPvmSt11align_val_t)
DELETE_OF(_ZdlPvSt11align_val_t, _ZdaPvmSt11align_val_t)
DELETE_OF(_ZdlPvSt11align_val_t, _ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE_OF(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_tRKSt9nothrow_t)
