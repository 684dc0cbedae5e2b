/* caller.h: where the program's code called what runs now.
 *
 * The shadow stack says where each instrumented function was called, not where the
 * innermost one is: a call through libc or libstdc++ hides that. But a function's stack
 * pointer is the same at each of its calls, so its present call left the return address
 * where the call of __tsan_func_entry left its own: the word above the hook's frame.
 * Arguments passed on the stack and alloca move it down a little: then the words below
 * are searched.
 */
#ifndef HD_CALLER_H
#define HD_CALLER_H

#include "runtime/core/rt.h"

/* Return address of the call that thread `tid`'s innermost instrumented function is in;
 * 0 if there is none, or it is not found. Reads the stack by a system call: any thread
 * that does not run, or the caller itself. */
u64 hd_caller_of(u16 tid);

/* The last of word[0..n) that is a return address, 0 if none is. */
u64 hd_caller_search(const u64 *word, u32 n);

/* The same of the calling thread, nearly without system calls; `site` if that says as much. */
HD_INLINE u64 hd_caller_here(u64 site)
{
    u64 here = (u64)__builtin_frame_address(0);
    u32 depth = hd_tls.info ? hd_tls.info->depth : 0;
    if (!depth || depth > HD_SHM_FRAMES)
        return site;
    u64 sp = hd_tls.frames[depth - 1].sp;
    /* a frame left by longjmp, or one on another stack, has no such word */
    if (sp <= here || sp - here > (1u << 20) || sp & 7)
        return site;
    const u64 *word = (const u64 *)(sp + 8);
    u32 n = (u32)HD_MIN((sp - here) / 8, (u64)32);
    return *word == site ? site : hd_caller_search(word + 1 - n, n);
}

/* Calls that led to `site`, innermost first: itself, the place in the innermost
 * instrumented function if that is another, the calls around it. At least one. */
u32 hd_caller_stack(u64 *pc, u32 max, u64 site);

#endif
