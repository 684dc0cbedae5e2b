/* must_lock.c: locks held, since when; and the one way in which locks order.
 *
 *   waiter                    signaller
 *   wait(c, m): gives m up    lock(m)
 *                             signal(c)      <- orders: before `woken`
 *                             unlock(m)
 *   woken                        |
 *   takes m again  <-------------+           also before this: m was not free
 *
 * In general: who knows something from inside a critical section of another
 * thread and then takes the lock comes after the end of that section.
 */
#include "predict/must.h"

HD_NOINLINE void hd_must_update_locks(struct hd_must *o, const struct hd_feed *f, u32 tid)
{
    struct hd_must_thread *th = &o->thread[tid];
    const struct hd_feed_thread *ft = &f->thread[tid];
    struct hd_must_held now[HD_LOCKSET_MAX];
    struct hd_member m[HD_LOCKSET_MAX];
    u32 n = 0;
    th->locks_seen = ft->locks_changed;
    for (size_t i = 0; i < ft->held.n && n < HD_LOCKSET_MAX; i++) {
        const struct hd_feed_lock *l = &ft->held.at[i];
        if (f->object[l->obj].generation != l->generation)
            continue; /* destroyed while held */
        struct hd_must_held h = {.lock = (u32)l->generation, .from = ft->time,
                                 .epoch = *hd_must_epoch(o, tid),
                                 .is_shared = l->is_shared};
        for (size_t k = 0; k < th->held.n; k++)
            if (th->held.at[k].lock == h.lock)
                h = th->held.at[k];
        u32 to = n++;
        for (; to && now[to - 1].lock > h.lock; to--)
            now[to] = now[to - 1];
        now[to] = h;
    }
    hd_vec_clear(&th->held);
    for (u32 i = 0; i < n; i++) {
        *hd_vec_add(&th->held) = now[i];
        m[i] = (struct hd_member){now[i].lock, now[i].is_shared};
    }
    th->lockset = hd_lockset_number(&o->locksets, m, n);
}

u32 hd_must_kept(const struct hd_must *o, u32 tid, u32 lockset, u32 time)
{
    const struct hd_must_thread *th = &o->thread[tid];
    const struct hd_lockset *s = &o->locksets.set.at[lockset];
    const struct hd_member *m = o->locksets.member.at + s->at;
    u32 bits = 0;
    for (u32 i = 0, k = 0; i < s->n && k < th->held.n;) {
        const struct hd_must_held *h = &th->held.at[k];
        if (m[i].lock == h->lock) {
            bits |= (u32)(h->from <= time) << i;
            i++;
            k++;
        } else if (m[i].lock < h->lock) {
            i++;
        } else {
            k++;
        }
    }
    return bits;
}

void hd_must_end_section(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    const struct hd_must_thread *th = &o->thread[s->tid];
    u32 lock = (u32)f->object[s->part[0].obj].generation, epoch = *hd_must_epoch(o, s->tid);
    u32 begin = epoch;
    for (size_t i = 0; i < th->held.n; i++)
        if (th->held.at[i].lock == lock)
            begin = th->held.at[i].epoch;
    if (HD_LIKELY(begin == epoch))
        return; /* nothing was published inside */
    struct hd_must_object *x = hd_must_object(o, f, s->part[0].obj);
    if (!x->section) {
        x->section = calloc(HD_SECTIONS, sizeof *x->section);
        HD_ASSERT(x->section);
    }
    struct hd_section *c = &x->section[x->n_sections++ % HD_SECTIONS];
    c->tid = s->tid;
    c->begin = begin;
    c->end = epoch;
    c->known.n = 0;
    hd_must_publish(o, s->tid, &c->known);
}

void hd_must_begin_section(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    u32 obj = s->part[0].obj;
    const struct hd_must_object *x = &o->object.at[obj < o->cap_numbers ? o->number[obj] : 0];
    if (x->generation != f->object[obj].generation)
        return;
    for (u32 i = 0; i < HD_MIN(x->n_sections, (u32)HD_SECTIONS); i++) {
        const struct hd_section *c = &x->section[i];
        u32 known = hd_vclock_at(hd_must_known(o, s->tid), c->tid);
        if (c->tid != s->tid && known >= c->begin && known < c->end)
            hd_must_learn(o, s->tid, &c->known);
    }
}
