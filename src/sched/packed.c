/* packed.c: long runs. Entries of log and script that do not fit in the arrays are packed
 * (record.h): the core writes and reads a stream of bytes, the runtime has files for it.
 *
 *   log      [arrays, but for the last entry][packed ........][the last entry, in its slot]
 *   script   [arrays][packed ................................]
 *             `script.choice` and `check` are these, then a window of unpacked ones
 *
 * One pick in HD_PACKED_CHECKS carries a check, and none a site: a replay that leaves the
 * schedule there is noticed at the next check, or where a thread cannot run.
 */
#include "sched/internal.h"

#define ENTRIES 1024u

struct hd_window {
    struct hd_choice choice[ENTRIES];
    u64 check[ENTRIES];
    u8 bytes[ENTRIES * 4];
};
_Static_assert(sizeof((struct hd_window *)0)->bytes >= HD_PACKED_MOST, "one entry fits");

/* ---- log --------------------------------------------------------------------------- */

/* Is the check of the last entry, a pick, complete? Not if a waiter is chosen in its midst. */
static bool has_check(struct hd_log *l, u8 next_kind)
{
    if (++l->unchecked < HD_PACKED_CHECKS || next_kind != HD_CHOICE_PICK ||
        l->choice[l->n - 1].kind != HD_CHOICE_PICK)
        return false;
    l->unchecked = 0;
    return true;
}

bool hd_packed_push(struct hd_sched *s, u8 next_kind)
{
    struct hd_log *l = s->log;
    u8 entry[HD_PACKED_MOST];
    u32 last = l->n - 1;
    if (!l->ring || !s->env.spill)
        return false;
    u32 n = hd_packed_put(entry, &l->choice[last], has_check(l, next_kind) ? l->check[last] : 0);
    u64 end = l->packed + n, block = l->packed / HD_LOG_BLOCK;
    for (u32 i = 0; i < n; i++)
        l->ring[(l->packed + i) % HD_LOG_RING] = entry[i];
    if (HD_UNLIKELY(end / HD_LOG_BLOCK != block) &&
        (end >= HD_LOG_MOST ||
         !s->env.spill(s->env.self, block * HD_LOG_BLOCK,
                       l->ring + block * HD_LOG_BLOCK % HD_LOG_RING, HD_LOG_BLOCK)))
        return false;
    l->choice[last].count = 0; /* whoever looks now finds it once, or not at all */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    l->packed = end;
    l->n--;
    return true;
}

/* ---- script ------------------------------------------------------------------------ */

void hd_packed_refill(struct hd_sched *s)
{
    struct hd_script *c = &s->script;
    u64 left = c->packed - s->script_read;
    s->script_base += c->n;
    s->script_pos = 0;
    c->n = 0;
    if (!s->window)
        s->window = s->env.alloc(s->env.self, sizeof *s->window);
    struct hd_window *w = s->window;
    u32 n = (u32)HD_MIN(left, (u64)sizeof w->bytes), at = 0, used;
    n = s->env.script ? s->env.script(s->env.self, s->script_read, w->bytes, n) : 0;
    while (c->n < ENTRIES &&
           (used = hd_packed_get(w->bytes + at, n - at, &w->choice[c->n], &w->check[c->n]))) {
        at += used;
        c->n++;
    }
    s->script_read = c->n ? s->script_read + at : c->packed; /* what cannot be read is its end */
    c->choice = w->choice;
    c->check = c->strict ? w->check : NULL;
    c->site = NULL;
}
