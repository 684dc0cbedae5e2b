/* drive_direct.c: driving as a director (director.h). */
#include "plan/drive.h"

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
    bool was_tested = d->o.cover->loaded[HD_METRIC_iroot] && !d->o.no_memory;
    return (was_tested || runs >= DONE_RUNS || ns >= DONE_NS) && hd_drive_is_done(d);
}

static void save(struct hd_director *d, const struct hd_director_end *end)
{
    (void)end;
    hd_drive_save(drive_of(d));
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
                                       .is_done = is_done, .save = save, .close = close_drive};
    *out = &d->director;
    return 0;
}
