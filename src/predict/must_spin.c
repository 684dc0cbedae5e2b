/* must_spin.c: flags that a thread waits for by reading them in a loop.
 *
 * T reads one location at one site again and again, with little else in between
 * (yield, locks, other reads), and nobody writes: all reads gave the same value.
 * Then u writes it; T reads it once more and goes on elsewhere. So that write
 * let it go, and what u did before comes before what T does next. If T keeps
 * reading, it was another value that it waits for; if T writes the location
 * itself next, the loop is part of a lock and orders nothing.
 */
#include "predict/must.h"

static void list(struct hd_must *o, u16 tid)
{
    if (!o->thread[tid].spin.is_listed) {
        o->thread[tid].spin.is_listed = true;
        *hd_vec_add(&o->spinning) = tid;
    }
}

static void end_loop(struct hd_must *o, u16 tid)
{
    struct hd_must_spin *p = &o->thread[tid].spin;
    p->generation = 0;
    if (!p->is_listed)
        return;
    p->is_listed = false;
    for (size_t i = 0; i < o->spinning.n; i++) {
        if (o->spinning.at[i] == tid) {
            hd_vec_del_fast(&o->spinning, i);
            return;
        }
    }
}

static bool is_in_body(struct hd_must_spin *p, u32 site, bool may_grow)
{
    for (u32 i = 0; i < p->n_body; i++)
        if (p->body[i] == site)
            return true;
    if (!may_grow || p->n_body == HD_COUNT(p->body))
        return false;
    p->body[p->n_body++] = site;
    return true;
}

static void start_loop(struct hd_must *o, u16 tid, u64 generation, u32 site)
{
    struct hd_must_spin *p = &o->thread[tid].spin;
    if (p->generation)
        end_loop(o, tid);
    p->generation = generation;
    p->site = site;
    p->reads = 1;
    p->n_body = 0;
    p->is_written = p->is_seen = false;
}

/* The loop's own read. */
static void again(struct hd_must *o, u16 tid, struct hd_must_spin *p)
{
    if (p->is_written) {
        if (p->is_seen)
            p->is_written = p->is_seen = false; /* goes round once more: not that value */
        else
            p->is_seen = true;
        return;
    }
    if (++p->reads >= o->spin)
        list(o, tid);
}

/* Anything else. True: it has left the loop. */
static bool other(struct hd_must *o, const struct hd_seen *s, struct hd_must_spin *p)
{
    bool is_write = s->what == HD_DOES_WRITE || s->what == HD_DOES_RMW;
    if (!p->is_seen && is_write)
        return true;
    return is_write || !is_in_body(p, s->site, !p->is_seen);
}

void hd_must_spin_before(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_must_spin *p = &o->thread[s->tid].spin;
    bool is_read = s->what == HD_DOES_READ && s->n == 1;
    u64 generation = s->n ? f->object[s->part[0].obj].generation : 0;
    if (is_read && p->generation == generation && p->site == s->site) {
        again(o, s->tid, p);
        return;
    }
    if (p->generation && s->what != HD_DOES_NOTHING && other(o, s, p)) {
        if (p->is_seen && !(s->what != HD_DOES_READ && generation == p->generation))
            hd_must_learn(o, s->tid, &p->write);
        end_loop(o, s->tid);
    }
    if (is_read && !p->generation)
        start_loop(o, s->tid, generation, s->site);
}

void hd_must_spin_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    bool is_published = false;
    if (HD_LIKELY(!o->spinning.n) || (s->what != HD_DOES_WRITE && s->what != HD_DOES_RMW))
        return;
    for (size_t i = 0; i < o->spinning.n; i++) {
        u16 t = o->spinning.at[i];
        struct hd_must_spin *p = &o->thread[t].spin;
        for (u32 k = 0; t != s->tid && k < s->n; k++) {
            if (f->object[s->part[k].obj].generation != p->generation)
                continue;
            *hd_must_epoch(o, s->tid) -= is_published; /* one write, one epoch */
            p->write.n = 0;
            hd_must_publish(o, s->tid, &p->write);
            is_published = p->is_written = true;
            p->is_seen = false;
        }
    }
}
