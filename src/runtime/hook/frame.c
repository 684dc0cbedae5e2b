/* frame.c: see frame.h. Runs that note details only (HD_MODE_DETAIL).
 *
 * The shadow stack has, for each call of an instrumented function, where it returns to and where the
 * stack pointer was when it began its work:
 *
 *      higher addresses   frame of the caller
 *                         return address      <- right below the CFA
 *                         local variables
 *      lower addresses    frame of the hook   <- sp
 *
 * Debug information counts from the CFA. Registers are not needed to find it: it is behind the word
 * that holds the return address. Copies of that word can only be further down, left by earlier calls, so the
 * search begins at the top. The outermost function has no frame above it that is known: there it begins below, for
 * nobody else was called from where that one was. That word may be above what counts as the thread's stack, which
 * ends where the runtime begins the thread.
 */
#include "runtime/hook/frame.h"

#include "runtime/hook/caller.h"
#include "runtime/libc/sys.h"

#define WORDS 512             /* read at a time */
#define FAR ((u64)8 << 20)    /* the largest frame that is searched */
#define ABOVE 4096            /* bytes behind the stack's end that may hold its first return address */
#define HOOK 16               /* what a call of the hook puts on the stack: return address, frame pointer */

/* The latest answer: accesses come in the same frame as a rule. */
static struct {
    u64 pc, sp, top, cfa;
} last;

static u32 read_words(u64 from, u64 *word, u32 n)
{
    struct iovec into = {word, n * sizeof *word}, of = {(void *)from, n * sizeof *word};
    long got = hd_sys(SYS_process_vm_readv, hd_sys(SYS_getpid, 0), &into, 1, &of, 1, 0);
    return got > 0 ? (u32)((u64)got / sizeof *word) : 0;
}

/* Behind the highest word in [low, high) that is `pc`, 0 if none is. */
static u64 search_down(u64 pc, u64 low, u64 high)
{
    u64 word[WORDS];
    while (high > low) {
        u32 n = (u32)HD_MIN((high - low) / sizeof *word, (u64)WORDS);
        if (!n || read_words(high - n * sizeof *word, word, n) < n)
            return 0;
        for (u32 i = n; i-- > 0;)
            if (word[i] == pc)
                return high - (n - i - 1) * sizeof *word;
        high -= n * sizeof *word;
    }
    return 0;
}

/* ... the lowest one. */
static u64 search_up(u64 pc, u64 low, u64 high)
{
    u64 word[WORDS];
    while (high > low) {
        u32 n = read_words(low, word, (u32)HD_MIN((high - low) / sizeof *word, (u64)WORDS));
        if (!n)
            return 0;
        for (u32 i = 0; i < n; i++)
            if (word[i] == pc)
                return low + (i + 1) * sizeof *word;
        low += n * sizeof *word;
    }
    return 0;
}

static u64 find_cfa(const struct hd_frame *frames, u32 i, u64 stack_hi)
{
    u64 pc = frames[i].pc, low = (frames[i].sp + HOOK) & ~7ull;
    u64 high = (i ? frames[i - 1].sp + HOOK : stack_hi + ABOVE) & ~7ull;
    if (last.pc == pc && last.sp == low && last.top == high)
        return last.cfa;
    last.pc = pc;
    last.sp = low;
    last.top = high;
    high = HD_MIN(high, low + FAR);
    last.cfa = i ? search_down(pc, low, high) : search_up(pc, low, high);
    return last.cfa;
}

static const struct hd_shm_thread *owner_of(u64 addr, u16 *tid)
{
    const struct hd_shm_thread *all = hd_shm_threads(hd_rt.run);
    for (u32 t = 0; t < hd_rt.sched.n_threads; t++)
        if (addr - all[t].stack_lo < all[t].stack_hi - all[t].stack_lo &&
            all[t].state != HD_T_FINISHED) {
            *tid = (u16)t;
            return &all[t];
        }
    return NULL;
}

struct hd_detail_frame hd_frame_around(u64 addr)
{
    struct hd_detail_frame frame = {0};
    u16 tid;
    const struct hd_shm_thread *t = owner_of(addr, &tid);
    if (!t || !t->depth || t->depth > HD_SHM_FRAMES)
        return frame;
    const struct hd_frame *frames = hd_shm_frames(hd_rt.run, tid);
    u32 i = 0;
    while (i < t->depth && frames[i].sp > addr)
        i++;
    if (i == t->depth)
        return frame; /* below all of them: of code that is not instrumented */
    frame.cfa = find_cfa(frames, i, t->stack_hi);
    frame.sp = frames[i].sp + HOOK;
    if (addr < frame.cfa)
        frame.pc = i + 1 < t->depth ? frames[i + 1].pc : hd_caller_of(tid);
    return frame;
}
