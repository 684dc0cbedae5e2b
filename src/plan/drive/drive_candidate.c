/* drive_candidate.c: candidates: predicted by runs or remembered from earlier campaigns,
 * until they are exposed, abandoned or skipped. See drive.h. */
#include "report/wanted.h"
#include "plan/drive/drive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"

#define UNPRODUCTIVE 64 /* attempts at an idiom before its yield counts */

void hd_drive_id(const struct hd_element *e, char *out)
{
    char text[HD_ELEMENT_TEXT];
    u64 h = 0xcbf29ce484222325ull;
    u32 n = hd_element_text(e, text, sizeof text);
    for (u32 i = 0; i < n; i++)
        h = (h ^ (u8)text[i]) * 0x100000001b3ull;
    snprintf(out, 13, "%012llx", (unsigned long long)(h ^ h >> 48) & 0xffffffffffffull);
}

/* Number of the candidate, made if need be. */
static u32 candidate_of(struct hd_drive *d, const struct hd_element *e)
{
    struct hd_key k;
    hd_set_key(&d->set, e, &k);
    u32 at = hd_set_find(&d->set, &k);
    if (at)
        return at;
    at = hd_set_insert(&d->set, &k);
    HD_ASSERT(at == d->candidate.n);
    *hd_vec_add(&d->candidate) = (struct hd_drive_candidate){.element = *e};
    return at;
}

/* Where driving hardly ever leads anywhere (the orders depend on values that no order
 * changes), a second attempt is not worth a run. */
static u32 tries_of(const struct hd_drive *d, u32 idiom)
{
    bool is_unproductive =
        d->attempts[idiom] >= UNPRODUCTIVE && d->hits[idiom] * 50 < d->attempts[idiom];
    return is_unproductive && !d->is_tries_set ? 1 : d->o.tries;
}

bool hd_drive_is_tried_out(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    u32 times = c->is_changed ? 2 : 1;
    return c->tries >= times * tries_of(d, c->element.sub) || c->all_tries >= d->o.tries_all;
}

bool hd_drive_is_last_try(const struct hd_drive *d, const struct hd_drive_candidate *c)
{
    struct hd_drive_candidate next = *c;
    next.tries++;
    next.all_tries++;
    return hd_drive_is_tried_out(d, &next);
}

void hd_drive_count(struct hd_drive *d, const struct hd_drive_candidate *c, size_t member)
{
    struct hd_drive_count *all = d->result.count;
    ++*(u32 *)((char *)&all[c->element.sub] + member);
    ++*(u32 *)((char *)&all[0] + member);
}

static bool is_in_library(struct hd_drive *d, const struct hd_element *e)
{
    struct hd_places *p = &d->o.cover->places;
    const struct hd_target *t = d->o.cover->o.target;
    for (u32 i = 0; i < e->n; i++) {
        const struct hd_place *at = hd_places_get(p, e->site[i]);
        if (!at || at->module == HD_NO_MODULE || strcmp(p->module.at[at->module].path, t->path))
            return true;
    }
    return false;
}

static bool is_near(struct hd_drive *d, const struct hd_element *e)
{
    struct hd_place_names names;
    for (u32 i = 0; d->o.wanted && i < e->n; i++) {
        const struct hd_place *at = hd_places_get(&d->o.cover->places, e->site[i]);
        if (!at)
            continue;
        hd_places_name(&d->o.cover->places, at, &names);
        if (hd_wanted_is_near(d->o.wanted, names.function))
            return true;
    }
    return false;
}

void hd_drive_to_be_saved(struct hd_drive *d, u32 at)
{
    struct hd_drive_candidate *c = &d->candidate.at[at];
    if (!c->is_unsaved)
        *hd_vec_add(&d->unsaved) = at;
    c->is_unsaved = true;
}

void hd_drive_abandon(struct hd_drive *d, u32 at)
{
    struct hd_drive_candidate *c = &d->candidate.at[at];
    c->state = HD_DRIVE_FAILED;
    HD_DRIVE_COUNT(d, c, failed);
    hd_drive_to_be_saved(d, at);
}

void hd_drive_save(struct hd_drive *d)
{
    for (size_t i = 0; i < d->unsaved.n && !hd_stop_is_late(); i++) {
        struct hd_drive_candidate *c = &d->candidate.at[d->unsaved.at[i]];
        hd_cover_store_tried(d->o.cover, &c->element, &c->row, c->more_tries,
                             c->state == HD_DRIVE_FAILED ? HD_STORE_FAILED : 0);
        if (c->is.is_external && !c->is_external)
            hd_cover_store_external(d->o.cover, c->row);
        c->is_external |= c->is.is_external;
        c->is_unsaved = false;
        c->more_tries = 0;
    }
    hd_vec_clear(&d->unsaved);
    d->saved_ns = hd_monotonic_ns();
}

/* From the predictor, at the end of a run. */
void hd_drive_predicted(void *self, const struct hd_candidate *is)
{
    struct hd_drive *d = self;
    if (d->o.cover->now.only_pairs && is->element.sub > 1 && !is->is_deadlock)
        return; /* nobody would see it */
    u32 at = candidate_of(d, &is->element);
    struct hd_drive_candidate *c = &d->candidate.at[at];
    if (c->is.n)
        return; /* by another slot */
    c->is = *is;
    c->is_library = is_in_library(d, &c->element);
    c->is_near = is_near(d, &c->element);
    c->is_changed = hd_drive_is_changed(d, &c->element);
    c->is_from_long = d->is_from_long;
    c->log = (u32)d->log.n + 1; /* kept when the run has been looked at */
    if (hd_drive_is_exposed(d, &c->element)) {
        c->state = HD_DRIVE_EXPOSED;
        return;
    }
    bool is_news = !c->row || d->o.no_memory;
    if (is_news && (c->element.sub <= 2 || c->is.is_deadlock)) /* there is always another other */
        d->quiet = d->dry = 0;
    if (hd_drive_must_wait(d, c)) {
        c->state = HD_DRIVE_WAITING;
        *hd_vec_add(&d->waiting) = at;
        hd_drive_to_be_saved(d, at);
        return;
    }
    hd_drive_admit(d, at);
}

bool hd_drive_is_exposed(const struct hd_drive *d, const struct hd_element *e)
{
    bool is_exposed = hd_coverage_has(d->o.cover->total, e);
    for (u32 i = 0; !is_exposed && i < d->o.jobs; i++) /* this run may have shown it itself */
        is_exposed = hd_coverage_has(&d->o.cover->slot[i].own, e);
    return is_exposed;
}

void hd_drive_admit(struct hd_drive *d, u32 at)
{
    struct hd_drive_candidate *c = &d->candidate.at[at];
    if (!d->o.no_memory && hd_drive_is_tried_out(d, c)) {
        c->state = HD_DRIVE_SKIPPED;
        HD_DRIVE_COUNT(d, c, skipped);
        return;
    }
    c->state = HD_DRIVE_OPEN;
    HD_DRIVE_COUNT(d, c, predicted);
    hd_drive_to_be_saved(d, at);
}

void hd_drive_remembered(void *self, const struct hd_element *e, const struct hd_store_candidate *s)
{
    struct hd_drive *d = self;
    if (e->metric != HD_METRIC_iroot)
        return;
    u32 at = candidate_of(d, e); /* may move the vector */
    struct hd_drive_candidate *c = &d->candidate.at[at];
    c->row = s->id;
    if (d->o.no_memory)
        return;
    c->is_external = s->is_external;
    c->tries = s->attempts;
    c->all_tries = (u32)s->total;
}

void hd_drive_exposed(struct hd_drive *d, struct hd_drive_candidate *c, bool is_hit)
{
    if (c->state == HD_DRIVE_EXPOSED || !c->is.n)
        return;
    if (c->state == HD_DRIVE_WAITING) /* with its parts */
        HD_DRIVE_COUNT(d, c, predicted);
    if (c->state != HD_DRIVE_SKIPPED)
        HD_DRIVE_COUNT(d, c, exposed);
    if (is_hit)
        HD_DRIVE_COUNT(d, c, hit);
    c->state = HD_DRIVE_EXPOSED;
}

int hd_drive_find_only(struct hd_drive *d, struct hd_error *err)
{
    for (u32 i = 1; i < d->candidate.n; i++) {
        char id[16];
        hd_drive_id(&d->candidate.at[i].element, id);
        if (!strncmp(id, d->o.only, strlen(d->o.only))) {
            if (d->only) {
                return hd_error_set(err, -EINVAL,
                                    "'%s' is the beginning of several candidates' ids; give more "
                                    "of it",
                                    d->o.only);
            }
            d->only = i;
        }
    }
    if (d->only)
        return 0;
    return hd_error_set(err, -ENOENT,
                        "there is no candidate '%s' for this program and build; 'heddle "
                        "candidates' lists them",
                        d->o.only);
}
