/* user_mem.c: copies that survive a bad address; see user_mem.h.
 *
 * The instructions that touch the program's memory have names. If one faults,
 * die.c's handler goes on behind it with the result "failed": a good address costs
 * nothing more than the copy.
 */
#include "runtime/libc/user_mem.h"

extern const u8 hd_user_copy_at[] __attribute__((visibility("hidden")));
extern const u8 hd_user_copy_failed[] __attribute__((visibility("hidden")));
extern const u8 hd_user_load_at[] __attribute__((visibility("hidden")));
extern const u8 hd_user_load_failed[] __attribute__((visibility("hidden")));

#define PAGE 4096u

static __attribute__((noinline, noclone)) bool copy(volatile void *to, const volatile void *from,
                                                    size_t n)
{
    u32 is_done;
    __asm__ volatile(".hidden hd_user_copy_at\n"
                     ".globl hd_user_copy_at\n"
                     "hd_user_copy_at:\n\t"
                     "rep movsb\n\t"
                     "movl $1, %3\n\t"
                     "jmp 1f\n"
                     ".hidden hd_user_copy_failed\n"
                     ".globl hd_user_copy_failed\n"
                     "hd_user_copy_failed:\n\t"
                     "movl $0, %3\n"
                     "1:"
                     : "+D"(to), "+S"(from), "+c"(n), "=&r"(is_done)
                     :
                     : "memory", "cc");
    return is_done;
}

/* The word at `from`, in one instruction: values of accesses are read all the time. */
static __attribute__((noinline, noclone)) bool load(u64 *to, const volatile void *from)
{
    u64 word;
    u32 is_done;
    __asm__ volatile(".hidden hd_user_load_at\n"
                     ".globl hd_user_load_at\n"
                     "hd_user_load_at:\n\t"
                     "movq (%2), %0\n\t"
                     "movl $1, %1\n\t"
                     "jmp 1f\n"
                     ".hidden hd_user_load_failed\n"
                     ".globl hd_user_load_failed\n"
                     "hd_user_load_failed:\n\t"
                     "movl $0, %1\n"
                     "1:"
                     : "=&r"(word), "=&r"(is_done)
                     : "r"(from)
                     : "memory");
    *to = word;
    return is_done;
}

bool hd_user_read(void *to, const volatile void *from, size_t n)
{
    u64 word;
    bool is_in_page = ((u64)from & (PAGE - 1)) <= PAGE - sizeof word;
    if (!n || n > sizeof word || (n & (n - 1)) || !is_in_page)
        return copy(to, from, n);
    if (!load(&word, from)) /* what follows it in its page is there if it is */
        return false;
    switch (n) {
    case 1: *(u8 *)to = (u8)word; break;
    case 2: __builtin_memcpy(to, &word, 2); break;
    case 4: __builtin_memcpy(to, &word, 4); break;
    default: __builtin_memcpy(to, &word, 8); break;
    }
    return true;
}

bool hd_user_write(volatile void *to, const void *from, size_t n) { return copy(to, from, n); }

bool hd_user_can_read(const volatile void *at, size_t n)
{
    u8 byte;
    if (!n)
        return true;
    u64 from = (u64)at, last = from + n - 1;
    if (last < from)
        return false;
    for (u64 page = from; page < last; page = (page & ~(u64)(PAGE - 1)) + PAGE)
        if (!copy(&byte, (const void *)page, 1))
            return false;
    return copy(&byte, (const void *)last, 1);
}

bool hd_user_recover(u64 *pc)
{
    if (*pc == (u64)hd_user_copy_at)
        *pc = (u64)hd_user_copy_failed;
    else if (*pc == (u64)hd_user_load_at)
        *pc = (u64)hd_user_load_failed;
    else
        return false;
    return true;
}
