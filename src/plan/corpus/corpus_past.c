/* corpus_past.c: see corpus_past.h.
 *
 * Locks: that one section came before another tells nothing about what it did, so a section
 * is not needed by those after it. Only where two of one lock are needed, the first of them has
 * to be left before the second begins.
 */
#include "plan/corpus/corpus_past.h"

#include "event/effect.h"

void hd_past_init(struct hd_past *p)
{
    memset(p, 0, sizeof *p);
    hd_map_init(&p->last_write);
    hd_map_init(&p->last_section);
}

void hd_past_release(struct hd_past *p)
{
    hd_vec_release(&p->row);
    hd_vec_release(&p->section);
    hd_map_release(&p->last_write);
    hd_map_release(&p->last_section);
}

void hd_past_begin(struct hd_past *p)
{
    hd_vec_clear(&p->row);
    hd_vec_clear(&p->section);
    hd_map_clear(&p->last_write);
    hd_map_clear(&p->last_section);
    memset(p->created, 0, sizeof p->created);
    memset(p->last, 0, sizeof p->last);
    p->is_lost = false;
}

static void join(struct hd_cut *to, const struct hd_cut *from)
{
    for (u32 t = 0; t < HD_PAST_THREADS; t++)
        to->at[t] = HD_MAX(to->at[t], from->at[t]);
}

void hd_past_join(const struct hd_past *p, struct hd_cut *cut, u32 row)
{
    if (row)
        join(cut, &p->row.at[row - 1].cut);
}

void hd_past_join_data(const struct hd_past *p, struct hd_cut *cut, u32 row)
{
    if (row)
        join(cut, &p->row.at[row - 1].data);
}

/* The lock is taken, or was found taken: then whoever has it is needed. */
static void acquire(struct hd_past *p, const struct hd_event *ev, struct hd_cut *cut, u32 own)
{
    u64 *last = hd_map_ref(&p->last_section, ev->obj, 0);
    if (!hd_has_succeeded(ev->kind, ev->arg)) {
        if (*last)
            hd_past_join(p, cut, p->section.at[*last - 1].from);
        return;
    }
    *hd_vec_add(&p->section) = (struct hd_past_section){
        .lock = ev->obj, .from = own, .tid = ev->tid, .before = (u32)*last};
    *last = p->section.n;
}

static void release(struct hd_past *p, const struct hd_event *ev, u32 own)
{
    u32 i = (u32)hd_map_get_or(&p->last_section, ev->obj, 0);
    for (; i; i = p->section.at[i - 1].before) /* of several readers, or of a lock taken twice */
        if (p->section.at[i - 1].tid == ev->tid && !p->section.at[i - 1].to)
            break;
    if (i)
        p->section.at[i - 1].to = own;
}

/* What it needs besides what its thread did before. */
static void depend(struct hd_past *p, const struct hd_event *ev, struct hd_cut *cut, u32 own)
{
    enum hd_evclass class = hd_event_class(ev->kind);
    u32 t = (u32)HD_MIN(ev->obj, (u64)HD_PAST_THREADS);
    u64 *last;
    switch (class) {
    case HD_CLASS_LOCAL: return;
    case HD_CLASS_ACQ: acquire(p, ev, cut, own); return;
    case HD_CLASS_REL: release(p, ev, own); return;
    default: break;
    }
    if (ev->kind == HD_EV_CREATE) {
        if (t < HD_PAST_THREADS)
            p->created[t] = own;
        return;
    }
    if (ev->kind == HD_EV_START || ev->kind == HD_EV_EXIT)
        return;
    if (ev->kind == HD_EV_JOIN) {
        hd_past_join(p, cut, t < HD_PAST_THREADS ? p->last[t] : 0);
        return;
    }
    last = hd_map_ref(&p->last_write, ev->obj, 0);
    if (class != HD_CLASS_WRITE)
        hd_past_join(p, cut, (u32)*last);
    if (class != HD_CLASS_READ && !(class == HD_CLASS_RMW && ev->arg & HD_MO_FAILED))
        *last = own;
}

static struct hd_past_access access_of(const struct hd_event *ev)
{
    enum hd_evclass class = hd_event_class(ev->kind);
    return (struct hd_past_access){
        .obj = ev->obj, .step = ev->step, .tid = ev->tid, .writes = class != HD_CLASS_READ,
        .matters = class != HD_CLASS_LOCAL && hd_space_of(ev->kind) != HD_SPACE_THREAD &&
                   !hd_event_is_own(ev)};
}

u32 hd_past_event(struct hd_past *p, const struct hd_event *ev)
{
    u32 own = (u32)p->row.n + 1;
    p->is_lost |= ev->tid >= HD_PAST_THREADS || own > HD_PAST_EVENTS;
    if (p->is_lost)
        return 0;
    struct hd_cut cut = {{0}}, data;
    u32 before = p->last[ev->tid];
    depend(p, ev, &cut, own);
    data = ev->kind == HD_EV_JOIN ? (struct hd_cut){{0}} : cut;
    hd_past_join(p, &cut, before ? before : p->created[ev->tid]);
    if (before)
        hd_past_join_data(p, &data, before);
    else
        hd_past_join(p, &data, p->created[ev->tid]);
    cut.at[ev->tid] = data.at[ev->tid] = (u16)own;
    p->last[ev->tid] = own;
    u32 nth = before ? p->row.at[before - 1].nth + (p->row.at[before - 1].is.step != ev->step) : 1;
    *hd_vec_add(&p->row) = (struct hd_past_row){
        .cut = cut, .data = data, .is = access_of(ev), .nth = nth};
    return own;
}

u32 hd_past_steps(const struct hd_past *p, const struct hd_cut *cut)
{
    u32 n = 0;
    for (u32 t = 0; t < HD_PAST_THREADS; t++)
        n += cut->at[t] ? p->row.at[cut->at[t] - 1].nth : 0;
    return n;
}

static bool has(const struct hd_cut *cut, u32 tid, u32 row) { return row && row <= cut->at[tid]; }

/* A section that is needed begins while another one of its lock is not left. */
static bool leave_sections(const struct hd_past *p, struct hd_cut *cut)
{
    bool is_changed = false;
    for (size_t i = p->section.n; i > 0; i--) {
        const struct hd_past_section *s = &p->section.at[i - 1];
        if (!has(cut, s->tid, s->from))
            continue;
        for (u32 k = s->before; k; k = p->section.at[k - 1].before) {
            const struct hd_past_section *b = &p->section.at[k - 1];
            if (!has(cut, b->tid, b->from))
                continue;
            if (b->to && b->to < s->from && !has(cut, b->tid, b->to)) {
                hd_past_join(p, cut, b->to);
                is_changed = true;
            }
            break;
        }
    }
    return is_changed;
}

u32 hd_past_threads(const struct hd_past *p)
{
    u32 n = HD_PAST_THREADS;
    while (n && !p->last[n - 1])
        n--;
    return n;
}

void hd_past_close(const struct hd_past *p, struct hd_cut *cut, u32 *step)
{
    while (leave_sections(p, cut))
        continue;
    for (u32 t = 0; t < HD_PAST_THREADS; t++)
        step[t] = cut->at[t] ? p->row.at[cut->at[t] - 1].is.step : 0;
}
