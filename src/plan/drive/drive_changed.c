/* drive_changed.c: a build that inherits (cover/inherit.c) is tested where it changed. What was
 * tested before holds, so all that is worth a run goes through a function with other code:
 *
 * - candidates with an event there come first, and have twice the attempts;
 * - each access there that may be to shared memory is a scheduling point from the first run on. To
 *   learn first which of them are shared would take the very order that is looked for, if what
 *   follows a new store is reached in that order alone.
 *
 * Functions of the program and of its instrumented libraries (cover/library.c).
 */
#include "plan/drive/drive.h"

#define MARKED 256 /* sites at most: of larger changes the rest is learned as usual */

static bool is_inherited(const struct hd_drive *d)
{
    return d->o.cover->inherited.was_tested && !d->o.no_memory;
}

static s64 build_of(const struct hd_drive *d, const struct hd_place *at)
{
    return at->module != HD_NO_MODULE ? d->o.cover->places.module.at[at->module].build : 0;
}

/* The last piece of changed code that begins before the place. */
static bool is_changed(const struct hd_cover_inherited *in, s64 build, u64 offset)
{
    size_t from = 0, to = in->changed.n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        const struct hd_cover_changed *c = &in->changed.at[middle];
        if (c->build < build || (c->build == build && c->start < offset))
            from = middle + 1;
        else
            to = middle;
    }
    return from && in->changed.at[from - 1].build == build && offset <= in->changed.at[from - 1].end;
}

bool hd_drive_is_changed(struct hd_drive *d, const struct hd_element *e)
{
    for (u32 i = 0; is_inherited(d) && i < e->n; i++) {
        const struct hd_place *at = hd_places_get(&d->o.cover->places, e->site[i]);
        if (at && is_changed(&d->o.cover->inherited, build_of(d, at), at->offset))
            return true;
    }
    return false;
}

/* Module of a build, HD_NO_MODULE if none of it was met. */
static u32 module_of(const struct hd_places *p, s64 build)
{
    for (u32 i = 0; i < p->module.n; i++)
        if (p->module.at[i].build == build)
            return i;
    return HD_NO_MODULE;
}

void hd_drive_mark_changed(struct hd_drive *d, struct hd_worker *w)
{
    struct hd_places *p = &d->o.cover->places;
    const struct hd_cover_inherited *in = &d->o.cover->inherited;
    if (!is_inherited(d) || d->slot[w->index].size > HD_PLAN_LONG)
        return;
    for (size_t i = 0; i < in->sites.n && i < MARKED; i++) {
        u32 module = module_of(p, in->sites.at[i].build);
        if (module == HD_NO_MODULE)
            continue;
        u32 at = hd_places_add(p, module, in->sites.at[i].start);
        u64 pc = hd_places_pc(p, &w->run, p->place.at[at].id);
        if (pc)
            hd_shm_mark(w->host, pc, 0, HD_SITE_GOAL);
    }
}
