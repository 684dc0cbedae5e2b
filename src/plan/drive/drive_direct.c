/* drive_direct.c: driving as a director (director.h). */
#include "plan/drive/drive.h"

#include <stdio.h>
#include <string.h>

#define DONE_RUNS 1000 /* a campaign without a budget goes on for so many runs, or so long, */
#define DONE_NS 10000000000ll /* even if nothing is left to drive: luck has its time, too */

static struct hd_drive *drive_of(struct hd_director *d) { return (struct hd_drive *)d; }

static u32 want(struct hd_director *d, const struct hd_worker *w)
{
    return hd_drive_want(drive_of(d), w);
}

static enum hd_next begin(struct hd_director *d, struct hd_worker *w, u32 *count)
{
    *count = hd_drive_begin(drive_of(d), w, *count);
    return HD_NEXT_RUN;
}

static void ran(struct hd_director *d, struct hd_worker *w, u64 done)
{
    (void)done;
    hd_drive_end(drive_of(d), w);
}

static bool is_done(const struct hd_director *director, u64 runs, s64 ns)
{
    const struct hd_drive *d = (const struct hd_drive *)director;
    const struct hd_cover_inherited *in = &d->o.cover->inherited;
    if (d->o.as_paper)
        return !hd_drive_is_profiling(d) && hd_drive_is_done(d);
    if (d->only) /* the others stay open, and this one may be shown again and again */
        return runs >= DONE_RUNS || ns >= DONE_NS;
    if (d->had_luck && in->was_tested) { /* a new build: luck gets its share of what changed */
        double share = (double)in->left / (double)HD_MAX(in->kept + in->left, (u64)1);
        return ((double)runs >= 1 + DONE_RUNS * share || ns >= DONE_NS) &&
               hd_drive_is_done(d);
    }
    return (d->had_luck || runs >= DONE_RUNS || ns >= DONE_NS) && hd_drive_is_done(d);
}

/* "queue.c:12, queue.c:40, queue.c:13": in this order. */
static void name_order(struct hd_drive *d, const struct hd_element *e, char *out, size_t size)
{
    struct hd_places *p = &d->o.cover->places;
    size_t n = 0;
    for (u32 i = 0; i < e->n && n < size; i++) {
        struct hd_place_names names;
        const struct hd_place *at = hd_places_get(p, e->site[i]);
        if (!at)
            continue;
        hd_places_name(p, at, &names);
        const char *slash = strrchr(names.file, '/');
        const char *file = slash ? slash + 1 : names.file;
        n += names.line ? (size_t)snprintf(out + n, size - n, "%s%s:%u", n ? ", " : "", file, names.line)
                        : (size_t)snprintf(out + n, size - n, "%s%.60s", n ? ", " : "", names.text);
    }
}

static void progress(struct hd_director *director, struct hd_director_state *out)
{
    struct hd_drive *d = drive_of(director);
    struct hd_drive_result r;
    hd_drive_result(d, &r);
    out->has_left = true;
    out->left = r.open;
    out->phase = hd_drive_is_profiling(d) ? "learning what could happen"
                 : r.open                 ? "driving into what was not tested"
                                          : "by chance: nothing is left to drive";
    for (u32 i = 0; i < d->o.jobs; i++) {
        const struct hd_drive_slot *a = &d->slot[i];
        u32 at = HD_MIN(a->ran, a->n_rounds ? a->n_rounds - 1 : 0);
        if (!a->n_rounds || !a->round[at].n_chosen || out->trying[0])
            continue;
        name_order(d, &d->candidate.at[a->round[at].chosen[0]].element, out->trying,
                   sizeof out->trying);
    }
}

static void save_arms(struct hd_drive *d)
{
    for (u32 i = 0; i < HD_ARMS; i++) {
        const struct hd_arm_state *a = &d->portfolio.arm[i];
        if (a->runs)
            hd_cover_store_arm(d->o.cover, &(struct hd_store_arm){hd_arm_name(i), a->runs, a->cost,
                                                                  a->news});
    }
}

static void save(struct hd_director *d, const struct hd_director_end *end)
{
    (void)end;
    hd_drive_save(drive_of(d));
    save_arms(drive_of(d));
}

static void close_drive(struct hd_director *d) { hd_drive_close(drive_of(d)); }

const struct hd_drive *hd_drive_of(const struct hd_director *d)
{
    return d && d->close == close_drive ? (const struct hd_drive *)d : NULL;
}

bool hd_drive_is_wanted(const struct hd_director_opts *o) { return o->is_driven && o->cover; }

int hd_drive_direct(struct hd_director **out, const struct hd_director_opts *o,
                    struct hd_error *err)
{
    struct hd_drive *d;
    int e = hd_drive_open(&d, o, err);
    if (e)
        return e;
    d->director = (struct hd_director){.name = "drive", .want = want, .begin = begin, .ran = ran,
                                       .is_done = is_done, .progress = progress, .save = save, .close = close_drive,
                                       .is_brief = o->is_profile};
    *out = &d->director;
    return 0;
}
