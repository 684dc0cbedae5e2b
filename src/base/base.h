/* base.h: types and macros every other file may use.
 *
 * Freestanding: nothing here calls libc, because half of the code runs inside
 * the target process, where libc's own functions lead back into our
 * interceptors. Code built with -DHD_TARGET gets its implicit memcpy/memset
 * calls (struct copies) redirected to hd_memcpy & co. for the same reason.
 */
#ifndef HD_BASE_H
#define HD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define HD_LIKELY(x) __builtin_expect(!!(x), 1)
#define HD_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define HD_INLINE static inline __attribute__((always_inline))
#define HD_NOINLINE __attribute__((noinline))
#define HD_COLD __attribute__((cold, noinline))
#define HD_EXPORT __attribute__((visibility("default")))
#define HD_HIDDEN __attribute__((visibility("hidden"))) /* hot variables: not by the GOT */
#define HD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define HD_COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define HD_MAX(a, b) ((a) > (b) ? (a) : (b))
#define HD_ALIGN_UP(x, n) (((x) + (n) - 1) & ~((u64)(n) - 1))

void *hd_memcpy(void *restrict to, const void *restrict from, size_t n);
void *hd_memmove(void *to, const void *from, size_t n);
void *hd_memset(void *to, int byte, size_t n);
int hd_memcmp(const void *a, const void *b, size_t n);
size_t hd_strlen(const char *s);
int hd_strcmp(const char *a, const char *b);

#if defined(HD_TARGET) && !defined(HD_KEEP_BUILTINS)
__asm__("memcpy = hd_memcpy\n\tmemmove = hd_memmove\n\t"
        "memset = hd_memset\n\tmemcmp = hd_memcmp\n\tstrlen = hd_strlen");
#endif

/* Our own bug, in release builds too: says where, saves the schedule (in the
 * target) and ends the process. Never used for what the target does wrong. */
#define HD_BUG(text) hd_bug(__FILE__, __LINE__, text)
#define HD_ASSERT(cond) (HD_LIKELY(cond) ? (void)0 : HD_BUG(#cond))
_Noreturn void hd_bug(const char *file, int line, const char *text);
/* Called by hd_bug before the process ends; the runtime and the host each set
 * their own. May be NULL. */
extern void (*hd_bug_hook)(const char *file, int line, const char *text);

#endif
