/* memory.c: the memory of a campaign: what earlier ones met, what this one
 * meets, the sites it learned, its findings. See cover.h, store/store.h.
 *
 * Whatever goes wrong with the store is said once and ends the memory, not the
 * campaign. A run and all it met first go into one batch; how often an element was
 * met is brought up to date at the end.
 */
#include "cover/cover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "event/replay/replay.h"

#define UNSAVED_MAX 4096
#define UNSAVED_NS 100000000ll
#define WAIT_SECONDS 1.0 /* for another heddle in the same folder */

/* The store is of no use any more. */
static void abandon(struct hd_cover *c, const char *why)
{
    if (!c->error.text[0])
        hd_error_set(&c->error, 0, "%s", why);
    hd_store_close(c->store, NULL);
    c->store = NULL;
}

bool hd_cover_store_is_fine(struct hd_cover *c, s64 result)
{
    if (result >= 0)
        return true;
    if (c->store)
        abandon(c, hd_store_error(c->store));
    return false;
}

/* ---- from the store ----------------------------------------------------------------------- */

struct loading {
    struct hd_store *store;
    struct hd_places *places;
    struct hd_coverage *into;
    u64 metrics;
    struct hd_map site;  /* row -> identity */
    struct hd_snapshot *run;
    hd_cover_candidate *candidate;
    void *self;
};

u64 hd_cover_store_identity(struct hd_store *st, struct hd_places *p, s64 row)
{
    struct hd_store_site s;
    if (hd_store_site_get(st, row, &s))
        return 0;
    u32 module = hd_places_module(p, s.hash, s.hash_len, "");
    u32 place = hd_places_add(p, module, s.offset);
    struct hd_place *at = &p->place.at[place];
    at->row = row;
    at->is_named = *s.text;
    p->module.at[module].build = s.build;
    return at->id;
}

static u64 identity_of(struct loading *l, s64 row)
{
    u64 *known = hd_map_get(&l->site, (u64)row);
    if (known)
        return *known;
    u64 id = hd_cover_store_identity(l->store, l->places, row);
    if (id)
        hd_map_put(&l->site, (u64)row, id);
    return id;
}

/* False: of a newer Heddle, or not asked for. */
static bool element_of(struct loading *l, const struct hd_store_element *what, struct hd_element *e)
{
    u32 metric = hd_metric_find(what->metric, strlen(what->metric));
    if (metric >= HD_METRIC_COUNT || what->sub >= HD_ELEMENT_SUBS ||
        !(l->metrics >> metric & 1) || what->extra_len > sizeof(u32[HD_ELEMENT_EXTRA]))
        return false;
    *e = (struct hd_element){.metric = (u8)metric, .sub = (u8)what->sub, .n = (u8)what->n,
                             .n_extra = (u8)(what->extra_len / sizeof(u32))};
    memcpy(e->extra, what->extra, what->extra_len);
    for (u32 i = 0; i < what->n; i++)
        if (!(e->site[i] = identity_of(l, what->site[i])))
            return false;
    hd_element_canonical(e); /* in this build the sites may come in another order */
    return true;
}

static int load_element(void *self, const struct hd_store_seen *s)
{
    struct loading *l = self;
    struct hd_first_seen when = {.run = UINT32_MAX};
    struct hd_element e;
    if (element_of(l, &s->what, &e))
        hd_coverage_add(l->into, &e, &when);
    return 0;
}

static int load_candidate(void *self, const struct hd_store_candidate *c)
{
    struct loading *l = self;
    struct hd_element e;
    if (element_of(l, &c->what, &e))
        l->candidate(l->self, &e, c);
    return 0;
}

void hd_cover_store_candidates(struct hd_cover *c, hd_cover_candidate *fn, void *self)
{
    struct loading l = {.store = c->store, .places = &c->places, .metrics = ~(u64)0,
                        .candidate = fn, .self = self};
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_candidates(c->store, c->build, c->input, load_candidate, &l));
    hd_map_release(&l.site);
}

void hd_cover_store_tried(struct hd_cover *c, const struct hd_element *e, s64 *row, u32 times,
                          u32 state)
{
    s64 began = hd_monotonic_ns();
    struct hd_store_element what;
    if (!c->store)
        return;
    if (!*row) {
        s64 err = hd_cover_store_element(c, e, &what);
        *row = err ? err : hd_store_candidate_add(c->store, c->build, c->input, &what);
        if (!hd_cover_store_is_fine(c, *row)) {
            *row = 0;
            return;
        }
    }
    if (times && !hd_cover_store_is_fine(c, hd_store_attempt(c->store, *row, c->input, times)))
        return;
    if (state)
        hd_cover_store_is_fine(c, hd_store_candidate_set(c->store, *row, (enum hd_store_state)state));
    c->store_ns += hd_monotonic_ns() - began;
}

void hd_cover_store_external(struct hd_cover *c, s64 row)
{
    if (c->store && row)
        hd_cover_store_is_fine(c, hd_store_candidate_external(c->store, row));
}

static int is_failure(void *self, const struct hd_store_finding *f)
{
    *(bool *)self |= strcmp(f->kind, "race") && strcmp(f->kind, "atomicity");
    return 0;
}

bool hd_cover_has_failed(struct hd_cover *c)
{
    bool is = false;
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_findings_of(c->store, c->build, c->input, is_failure, &is));
    return is;
}

void hd_cover_store_arms(struct hd_cover *c, void (*fn)(void *self, const struct hd_store_arm *a),
                         void *self)
{
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_arms(c->store, c->campaign, fn, self));
}

void hd_cover_store_arm(struct hd_cover *c, const struct hd_store_arm *a)
{
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_arm_add(c->store, c->campaign, a));
}

int hd_cover_load(struct hd_store *st, struct hd_places *p, s64 build, u64 metrics,
                  struct hd_coverage *into)
{
    struct loading l = {.store = st, .places = p, .into = into, .metrics = metrics};
    int e = hd_store_elements(st, build, NULL, 0, load_element, &l);
    hd_map_release(&l.site);
    return e;
}

int hd_cover_identify(struct hd_cover_key *out, struct hd_store *st, struct hd_places *p,
                      const struct hd_target *t, char *const *argv, int stdin_fd)
{
    struct hd_module exe = {.build_id_len = HD_MIN(t->build_id_len, 32u)};
    memcpy(exe.build_id, t->build_id, exe.build_id_len);
    snprintf(exe.path, sizeof exe.path, "%.255s", t->path);
    out->program = hd_store_program(st, t->path);
    if (out->program < 0)
        return (int)out->program;
    u32 module = hd_places_loaded(p, &exe); /* may move the list */
    struct hd_place_module *m = &p->module.at[module];
    out->build = m->build = hd_store_build(st, out->program, m->hash, m->hash_len, t->path);
    if (out->build < 0)
        return (int)out->build;
    out->input = hd_store_input(st, argv, stdin_fd);
    return out->input < 0 ? (int)out->input : 0;
}

/* Program, build, input; then what is known about them. */
static bool register_campaign(struct hd_cover *c)
{
    struct hd_cover_key k;
    if (!hd_cover_store_is_fine(
            c, hd_cover_identify(&k, c->store, &c->places, c->o.target, c->o.argv, c->o.stdin_fd)))
        return false;
    c->build = k.build;
    c->input = k.input;
    if (!hd_cover_store_is_fine(c, hd_cover_inherit(c->store, k.program, k.build, c->o.target->path, c->o.parent,
                                     &c->inherited)))
        return false;
    for (size_t i = 0; i < c->inherited.libraries.v.n; i++) {
        const struct hd_cover_library *l = &c->inherited.libraries.v.at[i];
        u32 module = hd_places_module(&c->places, l->hash, l->hash_len, l->path); /* may move the list */
        c->places.module.at[module].build = l->new;
    }
    if (c->inherited.from)
        c->inherited.was_tested = hd_store_was_tested(c->store, c->inherited.from, c->input) > 0;
    if (!c->o.no_memory &&
        !hd_cover_store_is_fine(c, hd_cover_load(c->store, &c->places, c->build, c->o.what.metrics, c->total)))
        return false;
    c->campaign =
        hd_store_campaign_begin(c->store, k.program, c->build, c->input, c->o.strategy, c->o.seed);
    return hd_cover_store_is_fine(c, c->campaign);
}

void hd_cover_store_open(struct hd_cover *c)
{
    s64 began = hd_monotonic_ns();
    int e = hd_store_open(&c->store, c->o.dir, HD_STORE_WRITE, WAIT_SECONDS, &c->error);
    if (!e)
        register_campaign(c);
    c->store_ns += hd_monotonic_ns() - began;
}

static int load_learned(void *self, const struct hd_store_site *s, u32 flags)
{
    struct loading *l = self;
    hd_places_learn(l->places, l->run, s->hash, s->hash_len, s->offset,
                    (u8)(flags & (HD_SITE_EVENT | HD_SITE_POINT)));
    return 0;
}

void hd_cover_store_learned(struct hd_cover *c, struct hd_snapshot *m)
{
    struct loading l = {.places = &c->places, .run = m};
    s64 began = hd_monotonic_ns();
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_sites_load(c->store, c->build, load_learned, &l));
    c->store_ns += hd_monotonic_ns() - began;
}

/* ---- to the store --------------------------------------------------------------------------- */

/* Row of a module; code outside of files is one of its own. */
static s64 row_of_module(struct hd_cover *c, u32 module)
{
    static const char none[] = "code without a file";
    if (module == HD_NO_MODULE)
        return hd_store_build(c->store, 0, none, sizeof none - 1, "");
    struct hd_place_module *m = &c->places.module.at[module];
    if (!m->build) {
        m->build = hd_store_build(c->store, 0, m->hash, m->hash_len, m->path);
        int e = m->build > 0 ? hd_cover_library_note(c->store, m->build, m->path) : 0;
        if (e)
            return e;
    }
    return m->build;
}

s64 hd_cover_store_row(struct hd_cover *c, u64 id)
{
    if (!hd_places_get(&c->places, id))
        hd_places_add(&c->places, HD_NO_MODULE, id);
    struct hd_place *at = hd_places_get(&c->places, id);
    if (!at->row) {
        struct hd_store_site s = {.build = row_of_module(c, at->module), .offset = at->offset};
        if (s.build < 0)
            return s.build;
        s64 row = hd_store_site(c->store, &s);
        if (row < 0)
            return row;
        at->row = row;
    }
    return at->row;
}

s64 hd_cover_store_element(struct hd_cover *c, const struct hd_element *e,
                           struct hd_store_element *out)
{
    *out = (struct hd_store_element){.metric = hd_metric_name(e->metric), .sub = e->sub,
                                     .n = e->n, .extra = e->extra,
                                     .extra_len = e->n_extra * (u32)sizeof(u32)};
    for (u32 i = 0; i < e->n; i++) {
        out->site[i] = hd_cover_store_row(c, e->site[i]);
        if (out->site[i] < 0)
            return out->site[i];
    }
    return 0;
}

static s64 save_element(struct hd_cover *c, struct hd_cover_slot *a, u32 record, u64 run)
{
    struct hd_element e;
    struct hd_store_element out;
    hd_coverage_at(&a->own, record - 1, &e, NULL);
    s64 err = hd_cover_store_element(c, &e, &out);
    return err ? err : hd_store_element_add(c->store, c->campaign, &out, run, 1);
}

enum { UNSAVED_ELEMENT, UNSAVED_POINT, UNSAVED_RUN };

static s64 save_one(struct hd_cover *c, const struct hd_unsaved *u)
{
    if (u->kind == UNSAVED_POINT)
        return hd_store_curve_add(c->store, c->campaign, hd_metric_name(u->metric),
                                  (u64)u->point.run, u->point.seconds, u->point.covered);
    if (u->kind == UNSAVED_RUN) {
        const char *verdict = hd_replay_verdict_word(u->ran.verdict);
        struct hd_store_run r = {.number = u->ran.run, .seed = c->o.seed,
                                 .strategy = c->o.strategy, .verdict = verdict ? verdict : "none",
                                 .steps = u->ran.steps, .points = u->ran.points,
                                 .seconds = u->seconds};
        return hd_store_run(c->store, c->campaign, &r);
    }
    struct hd_cover_slot *a = &c->slot[u->slot];
    s64 row = save_element(c, a, u->record, u->ran.run);
    if (row < 0)
        return row;
    while (a->row.n <= u->record)
        *hd_vec_add(&a->row) = 0;
    a->row.at[u->record] = row;
    return 0;
}

void hd_cover_store_flush(struct hd_cover *c)
{
    s64 began = hd_monotonic_ns();
    for (size_t i = 0; c->store && i < c->unsaved.n; i++)
        hd_cover_store_is_fine(c, save_one(c, &c->unsaved.at[i]));
    hd_vec_clear(&c->unsaved);
    c->saved_ns = hd_monotonic_ns();
    c->store_ns += c->saved_ns - began;
}

bool hd_cover_store_is_due(const struct hd_cover *c)
{
    return c->unsaved.n >= UNSAVED_MAX || hd_monotonic_ns() - c->saved_ns > UNSAVED_NS;
}

void hd_cover_store_curve(struct hd_cover *c, u32 metric, const struct hd_curve_point *p)
{
    if (c->store)
        *hd_vec_add(&c->unsaved) =
            (struct hd_unsaved){.kind = UNSAVED_POINT, .metric = metric, .point = *p};
}

void hd_cover_store_run(struct hd_cover *c, struct hd_cover_slot *a, const struct hd_run_end *ran)
{
    if (!c->store)
        return;
    for (size_t i = 0; i < a->own.io.fresh.n; i++)
        *hd_vec_add(&c->unsaved) = (struct hd_unsaved){.kind = UNSAVED_ELEMENT,
                                                       .slot = (u32)(a - c->slot),
                                                       .record = a->own.io.fresh.at[i],
                                                       .ran = *ran};
    *hd_vec_add(&c->unsaved) =
        (struct hd_unsaved){.kind = UNSAVED_RUN, .ran = *ran,
                            .seconds = (double)(hd_monotonic_ns() - c->started_ns) / 1e9};
    if (hd_cover_store_is_due(c))
        hd_cover_store_flush(c);
}

/* Counts and names that are not written in time are small losses: names are looked up
 * again when they are shown. */
static bool is_late(u32 i) { return !(i & 63) && hd_stop_is_late(); }

/* ---- the end of it -------------------------------------------------------------------------- */

/* Sites of one worker's table that matter. */
static void save_learned(struct hd_cover *c, struct hd_worker *w)
{
    HD_VEC(struct hd_store_learned) list = {0};
    u32 n;
    const struct hd_site *s = hd_snapshot_sites(&w->run, &n);
    for (u32 i = 0; i < n; i++) {
        u8 known = s[i].known & (HD_SITE_EVENT | HD_SITE_POINT);
        if (!known || !c->store)
            continue;
        s64 row = hd_cover_store_row(c, hd_places_of(&c->places, &w->run, s[i].pc, 0));
        if (hd_cover_store_is_fine(c, row))
            *hd_vec_add(&list) = (struct hd_store_learned){row, known};
    }
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_sites_save(c->store, c->build, list.at, (u32)list.n));
    hd_vec_release(&list);
}

static void save_counts(struct hd_cover *c, struct hd_cover_slot *a)
{
    for (u32 i = 1; c->store && i < a->row.n && !is_late(i); i++) {
        u32 runs = a->own.io.set.record[i].runs;
        if (a->row.at[i] && runs > 1)
            hd_cover_store_is_fine(c, hd_store_element_more(c->store, c->campaign, a->row.at[i], runs - 1));
    }
}

/* Reading debug information takes its time: once, at the end. */
static void save_names(struct hd_cover *c)
{
    struct hd_place_names n;
    for (size_t i = 0; c->store && i < c->places.place.n && !hd_stop_is_late(); i++) {
        struct hd_place *at = &c->places.place.at[i];
        if (!at->row || at->is_named)
            continue;
        hd_places_name(&c->places, at, &n);
        s64 build = row_of_module(c, at->module);
        if (!hd_cover_store_is_fine(c, build))
            break;
        struct hd_store_site s = {.build = build, .offset = at->offset, .text = n.text, .function = n.function, .file = n.file,
                                  .line = n.line, .ordinal = n.ordinal, .source = n.source,
                                  .object = n.object};
        at->is_named = hd_cover_store_is_fine(c, hd_store_site(c->store, &s));
    }
}

void hd_cover_finding(struct hd_cover *c, u32 i, const struct hd_store_finding *f, u64 run,
                      u32 times)
{
    s64 began = hd_monotonic_ns();
    while (c->times.n <= i)
        *hd_vec_add(&c->times) = 0;
    u32 more = times - c->times.at[i];
    if (!c->store || !more)
        return;
    hd_cover_store_flush(c);
    c->times.at[i] += more;
    if (c->store) /* the flush may have ended it */
        hd_cover_store_is_fine(c, hd_store_finding_add(c->store, c->campaign, f, run, more));
    c->store_ns += hd_monotonic_ns() - began;
}

void hd_cover_uncontrolled(struct hd_cover *c, const char *what)
{
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_uncontrolled_add(c->store, c->campaign, what));
}

bool hd_cover_knows_finding(const struct hd_cover *c, u32 i, u32 times)
{
    return !c->store || (i < c->times.n && c->times.at[i] == times);
}

void hd_cover_store_close(struct hd_cover *c, u64 runs, struct hd_worker *w, u32 n)
{
    if (!c->store)
        return;
    hd_cover_store_flush(c);
    s64 began = hd_monotonic_ns();
    for (u32 i = 0; i < n; i++)
        if (w[i].host)
            save_learned(c, &w[i]);
    for (u32 i = 0; i < c->o.jobs; i++)
        save_counts(c, &c->slot[i]);
    s64 named = hd_monotonic_ns();
    c->store_ns += named - began;
    save_names(c);
    began = hd_monotonic_ns();
    c->name_ns += began - named;
    if (c->store)
        hd_cover_store_is_fine(c, hd_store_campaign_end(c->store, c->campaign, runs,
                                         (double)(began - c->started_ns) / 1e9));
    struct hd_error why;
    if (c->store && hd_store_close(c->store, &why) && !c->error.text[0])
        c->error = why;
    c->store = NULL;
    c->store_ns += hd_monotonic_ns() - began;
}
