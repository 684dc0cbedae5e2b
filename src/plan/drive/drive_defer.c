/* drive_defer.c: compound candidates that are not due yet. Idioms 2 to 6 consist of
 * dependencies that are iRoots of idiom 1 themselves: whoever shows the whole shows
 * its parts. So a compound candidate waits until every part has been shown by some
 * run; parts are easier to drive, and if one of them cannot be shown, no run is spent
 * on what contains it. A deadlock does not wait: its second half never happens.
 */
#include "plan/drive/drive.h"

/* Sites of the parts, by idiom. */
static const u8 parts[7][2][2] = {
    [2] = {{0, 1}, {1, 2}}, [3] = {{0, 1}, {2, 3}}, [4] = {{0, 1}, {2, 3}},
    [5] = {{0, 1}, {2, 3}}, [6] = {{0, 1}, {2, 3}},
};

bool hd_drive_must_wait(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    const struct hd_element *e = &c->element;
    bool is_driving_parts = !d->o.idioms || d->o.idioms >> 1 & 1;
    if (e->sub < 2 || c->is.is_deadlock || !is_driving_parts || d->only || d->o.as_paper)
        return false;
    for (u32 i = 0; i < 2; i++) {
        const u8 *p = parts[e->sub][i];
        struct hd_element part = {.metric = HD_METRIC_iroot, .sub = 1, .n = 2,
                                  .site = {e->site[p[0]], e->site[p[1]]}};
        if (!hd_drive_is_exposed(d, &part))
            return true;
    }
    return false;
}

void hd_drive_check_waiting(struct hd_drive *d)
{
    size_t n = 0;
    for (size_t i = 0; i < d->waiting.n; i++) {
        u32 at = d->waiting.at[i];
        const struct hd_drive_candidate *c = &d->candidate.at[at];
        if (c->state != HD_DRIVE_WAITING)
            continue; /* shown meanwhile */
        if (hd_drive_must_wait(d, c))
            d->waiting.at[n++] = at;
        else
            hd_drive_admit(d, at);
    }
    d->waiting.n = n;
}

void hd_drive_drop_unseen(struct hd_drive *d)
{
    for (u32 i = 1; i < d->candidate.n; i++) {
        struct hd_drive_candidate *c = &d->candidate.at[i];
        if (c->state != HD_DRIVE_OPEN || !c->is.n || c->element.sub == 1 || c->is.is_deadlock)
            continue;
        c->state = HD_DRIVE_SKIPPED;
        d->result.count[c->element.sub].predicted--;
        d->result.count[0].predicted--;
    }
    hd_vec_clear(&d->waiting);
}
