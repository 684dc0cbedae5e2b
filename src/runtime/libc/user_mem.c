/* user_mem.c: copies that survive a bad address; see user_mem.h.
 *
 * The one instruction that touches the program's memory has a name. If it faults,
 * die.c's handler goes on behind it with the result "failed": a good address costs
 * nothing more than the copy.
 */
#include "runtime/libc/user_mem.h"

extern const u8 hd_user_copy_at[] __attribute__((visibility("hidden")));
extern const u8 hd_user_copy_failed[] __attribute__((visibility("hidden")));

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

bool hd_user_read(void *to, const volatile void *from, size_t n) { return copy(to, from, n); }
bool hd_user_write(volatile void *to, const void *from, size_t n) { return copy(to, from, n); }

bool hd_user_can_read(const volatile void *at, size_t n)
{
    u8 byte;
    if (!n)
        return true;
    u64 from = (u64)at, last = from + n - 1;
    if (last < from)
        return false;
    for (u64 page = from; page < last; page = (page & ~4095ull) + 4096)
        if (!copy(&byte, (const void *)page, 1))
            return false;
    return copy(&byte, (const void *)last, 1);
}

bool hd_user_recover(u64 *pc)
{
    if (*pc != (u64)hd_user_copy_at)
        return false;
    *pc = (u64)hd_user_copy_failed;
    return true;
}
