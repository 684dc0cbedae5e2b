/* base.c: the few byte loops and the bug exit that base.h promises.
 * The loops carry no-tree-loop-distribute so that the compiler does not turn
 * them back into calls of the functions they implement. */
#include "base/base.h"
#include "base/stop.h"

#include <sys/syscall.h>

#ifdef __clang__ /* has no such attribute; the two loops below that it could recognize are asm */
#define HD_BYTE_LOOP
#else
#define HD_BYTE_LOOP __attribute__((optimize("no-tree-loop-distribute-patterns")))
#endif

HD_BYTE_LOOP void *hd_memcpy(void *restrict to, const void *restrict from, size_t n)
{
    void *d = to;
    __asm__ volatile("rep movsb" : "+D"(d), "+S"(from), "+c"(n) : : "memory");
    return to;
}

HD_BYTE_LOOP void *hd_memmove(void *to, const void *from, size_t n)
{
    u8 *d = to;
    const u8 *s = from;
    if (d <= s || d >= s + n)
        return hd_memcpy(to, from, n);
    while (n--)
        d[n] = s[n];
    return to;
}

HD_BYTE_LOOP void *hd_memset(void *to, int byte, size_t n)
{
    void *d = to;
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
    return to;
}

HD_BYTE_LOOP int hd_memcmp(const void *a, const void *b, size_t n)
{
    const u8 *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

HD_BYTE_LOOP size_t hd_strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

HD_BYTE_LOOP int hd_strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (u8)*a - (u8)*b;
}

bool (*hd_stop_hook)(bool is_late);
void (*hd_bug_hook)(const char *file, int line, const char *text);

_Noreturn void hd_bug(const char *file, int line, const char *text)
{
    if (hd_bug_hook)
        hd_bug_hook(file, line, text);
    /* exit_group without libc: 99 is "Heddle failed" (docs/architecture.md). */
    for (;;)
        __asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(99) : "rcx", "r11", "memory");
}
