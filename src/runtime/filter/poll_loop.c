/* poll_loop.c: the exact test of poll_loop.h: a set of addresses, by open
 * addressing. A window in which more than SET_MAX addresses are read is no poll. */
#include "runtime/filter/poll_loop.h"

#include "runtime/core/gate.h"

#define SET_SLOTS 256 /* power of two */
#define SET_MAX 128

struct hd_poll_set {
    u32 n;      /* addresses */
    u32 again;  /* reads in a row that were met before */
    u64 addr[SET_SLOTS];
    bool is_own[SET_SLOTS]; /* on this thread's stack, and it writes it itself */
};

/* Its slot; it is there now, unless there are too many. */
static u32 add(struct hd_poll_set *p, u64 addr, bool *is_new)
{
    u32 at = (u32)((addr >> 2) * 0x9e3779b97f4a7c15ull >> 32) % SET_SLOTS;
    *is_new = false;
    for (; p->addr[at]; at = (at + 1) % SET_SLOTS)
        if (p->addr[at] == addr)
            return at;
    *is_new = true;
    if (p->n < SET_MAX) {
        p->addr[at] = addr;
        p->n++;
    }
    return at;
}

/* To its own stack a thread may count how often it has tried; reads of such a count are
 * no poll either. */
static void note_write(struct hd_poll_set *p, u64 addr)
{
    bool is_new;
    if (addr - hd_tls.stack_lo >= hd_tls.stack_hi - hd_tls.stack_lo) {
        p->again = 0;
        return;
    }
    u32 at = add(p, addr, &is_new);
    p->is_own[at] = p->addr[at] == addr;
}

HD_COLD bool hd_poll_loop_exact(u64 addr, bool is_write)
{
    u32 count = hd_tls.spin_count;
    if (count >= HD_POLL_CYCLE)
        hd_tls.spin_count = 0;
    if (!hd_rt.is_on || !hd_tls.is_known || hd_tls.inside)
        return false;
    struct hd_poll_set *p = hd_tls.spin_set;
    if (!p)
        p = hd_tls.spin_set = hd_arena_alloc(NULL, sizeof *p);
    if (count == HD_POLL_CYCLE - HD_POLL_WINDOW + 1)
        hd_memset(p, 0, sizeof *p);
    if (is_write) {
        note_write(p, addr);
        return false;
    }
    bool is_new;
    if (p->is_own[add(p, addr, &is_new)])
        return false;
    p->again = is_new ? 0 : p->again + 1;
    if (p->again < HD_POLL_READS)
        return false;
    hd_tls.spin_hits = HD_POLL_READS;
    hd_tls.spin_count = HD_POLL_CYCLE - HD_POLL_WINDOW; /* a new window: it may poll on */
    return true;
}
