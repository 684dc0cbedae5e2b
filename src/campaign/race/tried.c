/* tried.c: see tried.h. */
#include "campaign/race/tried.h"
#include "cover/cover.h"
#include "process/confirm.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUTS 3 /* under which it may be tried in vain */

/* ---- the store ------------------------------------------------------------------------ */

/* "10 10 the program prints ...": runs that ended like that, of how many. Then the failure it leads to. */
static void write_results(const struct hd_race *r, char *to, size_t size)
{
    size_t n = 0;
    to[0] = '\0';
    for (u32 i = 0; i < 2 && n < size; i++)
        n += (size_t)snprintf(to + n, size - n, "%u %u %s\n", r->same[i], r->of[i], r->result[i]);
    if (r->failure[0] && n < size)
        snprintf(to + n, size - n, "%s\n", r->failure);
}

static void read_results(struct hd_race *r, const char *from)
{
    for (u32 i = 0; i < 2 && from; i++) {
        int at = 0;
        if (sscanf(from, "%u %u%n", &r->same[i], &r->of[i], &at) != 2 || !at)
            return;
        from += at + (from[at] == ' ');
        snprintf(r->result[i], sizeof r->result[i], "%.*s", (int)strcspn(from, "\n"), from);
        from = strchr(from, '\n');
        from = from ? from + 1 : NULL;
    }
    if (from)
        snprintf(r->failure, sizeof r->failure, "%.*s", (int)strcspn(from, "\n"), from);
}

static void make_key(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n,
                     const char *variable, char key[HD_RACE_KEY])
{
    if (kind == HD_TRIED_PAIR)
        hd_race_key(x, pc, variable, key);
    else
        hd_race_key_many(x, pc, n, key);
}

static void load(void *self, const struct hd_cover_race *r)
{
    struct hd_explorer *x = self;
    u64 pc[HD_STORE_SITES];
    u32 n = 0;
    char key[HD_RACE_KEY];
    for (; n < HD_STORE_SITES && r->site[n]; n++)
        if (!(pc[n] = hd_places_pc(&x->o->cover->places, &x->w->run, r->site[n])))
            return;
    if (n < 2 || r->is.kind > HD_TRIED_LOCKS)
        return;
    make_key(x, r->is.kind, pc, n, r->is.variable, key);
    struct hd_tried t = {.kind = r->is.kind, .key = strdup(key), .variable = strdup(r->is.variable),
                         .doubt = r->is.doubt, .is_here = r->is.is_here, .class = r->is.class,
                         .in_vain = r->is.in_vain};
    memcpy(t.site, r->site, sizeof t.site);
    t.race.class = t.class;
    read_results(&t.race, r->is.result);
    snprintf(t.finding, sizeof t.finding, "%s", r->is.finding);
    *hd_vec_add(&x->tried) = t;
}

void hd_tried_load(struct hd_explorer *x)
{
    if (x->o->cover && x->symbols && !x->o->no_memory)
        hd_cover_store_races(x->o->cover, load, x);
}

void hd_tried_save(struct hd_explorer *x)
{
    for (size_t i = 0; i < x->tried.n; i++) {
        struct hd_tried *t = &x->tried.at[i];
        char result[2 * sizeof t->race.result[0] + sizeof t->race.failure + 64] = "";
        if (t->class)
            write_results(&t->race, result, sizeof result);
        struct hd_cover_race r = {
            .is = {.kind = t->kind, .variable = t->variable, .doubt = t->doubt,
                   .runs = {t->runs[0], t->runs[1]}, .class = t->class, .result = result,
                   .finding = t->finding}};
        memcpy(r.site, t->site, sizeof r.site);
        if (t->is_new && x->o->cover)
            hd_cover_store_race_tried(x->o->cover, &r);
        free(t->key);
        free(t->variable);
    }
    hd_vec_release(&x->tried);
}

/* ---- which ---------------------------------------------------------------------------- */

u32 hd_tried_get(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *site, const u64 *pc, u32 n,
                 const char *variable)
{
    char key[HD_RACE_KEY];
    make_key(x, kind, pc, n, variable, key);
    for (u32 i = 0; i < x->tried.n; i++)
        if (x->tried.at[i].kind == kind && !strcmp(x->tried.at[i].key, key))
            return i;
    struct hd_tried t = {.kind = kind, .key = strdup(key), .variable = strdup(variable),
                         .doubt = UINT32_MAX};
    memcpy(t.site, site, n * sizeof *site);
    *hd_vec_add(&x->tried) = t;
    return (u32)x->tried.n - 1;
}

bool hd_tried_is_vain(struct hd_explorer *x, u32 tried, u32 doubt)
{
    const struct hd_tried *t = &x->tried.at[tried];
    bool is = doubt >= t->doubt && !t->class && (t->is_here || t->in_vain >= INPUTS);
    x->c->races_before += is;
    return is;
}

bool hd_tried_is_harmless(struct hd_explorer *x, u32 tried)
{
    const struct hd_tried *t = &x->tried.at[tried];
    bool is = t->is_here && t->class == HD_RACE_SAME && !t->finding[0];
    x->c->races_before += is;
    return is;
}

void hd_tried_note(struct hd_explorer *x, u32 tried, u32 doubt, const struct hd_race *race)
{
    struct hd_tried *t = &x->tried.at[tried];
    t->doubt = HD_MIN(t->doubt, doubt);
    t->is_new = true;
    if (!race)
        return;
    t->race = *race;
    t->class = race->class;
    t->finding[0] = '\0';
}

void hd_tried_class(struct hd_explorer *x, u32 tried, const struct hd_race *race)
{
    x->tried.at[tried].race = *race;
    x->tried.at[tried].class = race->class;
}

void hd_tried_found(struct hd_explorer *x, u32 tried, const char *id)
{
    struct hd_tried *t = &x->tried.at[tried];
    if (id)
        snprintf(t->finding, sizeof t->finding, "%s", id);
    else
        t->is_new = false;
}

/* ---- again ---------------------------------------------------------------------------- */

static bool is_this_build(const struct hd_replay *r, struct hd_snapshot *run)
{
    u32 n;
    const struct hd_module *m = hd_snapshot_modules(run, &n);
    for (u32 i = 0; i < r->n_modules; i++)
        for (u32 k = 0; k < n; k++)
            if (!strcmp(m[k].path, r->modules[i].path) &&
                (m[k].build_id_len != r->modules[i].build_id_len ||
                 memcmp(m[k].build_id, r->modules[i].build_id, m[k].build_id_len)))
                return false;
    return true;
}

/* The schedule as it was found: steps of a smaller one are others. */
static bool read_schedule(struct hd_explorer *x, const struct hd_tried *t, struct hd_replay *r)
{
    static const char *const name[] = {"original.heddle", "replay.heddle"};
    char path[PATH_MAX];
    struct hd_error err;
    for (u32 i = 0; i < HD_COUNT(name); i++) {
        if (snprintf(path, sizeof path, "%s/findings/%s/%s", x->o->dir, t->finding, name[i]) >=
            (int)sizeof path)
            return false;
        hd_replay_init(r);
        if (!access(path, R_OK) && !hd_replay_load(r, path, &err))
            return true;
        hd_replay_release(r);
    }
    return false;
}

static bool follow(struct hd_explorer *x, const struct hd_tried *t, const struct hd_replay *r,
                   hd_tried_show *show, void *self, struct hd_finding *f)
{
    u32 n, step[4] = {0};
    if (hd_replay_to_shm(r, &x->w->run))
        return false;
    struct hd_config *cfg = &x->w->host->cfg;
    cfg->mode &= ~(u32)HD_MODE_STREAM;
    cfg->mode |= HD_MODE_DETAIL;
    x->w->host->plan.n = x->w->host->plan.n_goals = 0;
    if (!hd_races_run(x->o, x->w, r->run))
        return false;
    x->c->race_runs++;
    bool is_failure = hd_races_is_failure(x->o, &x->w->run.verdict);
    if (t->class != HD_RACE_LEADS &&
        (is_failure != (t->class == HD_RACE_FAILS) || (is_failure && x->w->run.verdict.kind != r->verdict)))
        return false;
    const struct hd_event *ev = hd_snapshot_events(&x->w->run, &n);
    return show(x, ev, n, self, step) && hd_explorer_take(x, step, HD_COUNT(step), f);
}

bool hd_tried_again(struct hd_explorer *x, u32 tried, hd_tried_show *show, void *self,
                    struct hd_finding *f)
{
    const struct hd_tried *t = &x->tried.at[tried];
    struct hd_worker_state before;
    struct hd_replay r;
    if (!t->is_here || !t->finding[0] || !x->o->dir || x->o->script || x->o->children || x->o->around ||
        !read_schedule(x, t, &r))
        return false;
    bool is = is_this_build(&r, &x->w->run) && !hd_worker_remember(&before, x->w);
    if (is) {
        is = follow(x, t, &r, show, self, f);
        hd_worker_put_back(&before, x->w);
    }
    if (is) {
        u32 step[4];
        memcpy(step, f->race.step, sizeof step);
        f->race = t->race;
        memcpy(f->race.step, step, sizeof step);
        x->c->races_before++;
    }
    hd_replay_release(&r);
    return is;
}

/* ---- other inputs of a suite ------------------------------------------------------------- */

void hd_race_memory_release(struct hd_race_memory *m)
{
    for (size_t i = 0; i < m->key.n; i++)
        free(m->key.at[i]);
    hd_vec_release(&m->key);
    hd_map_release(&m->vain);
    hd_look_release(&m->look);
}

void hd_tried_recall(struct hd_explorer *x)
{
    for (size_t i = 0; x->o->tested && i < x->o->tested->key.n; i++)
        *hd_vec_add(&x->done) = x->o->tested->key.at[i];
    if (x->o->tested)
        x->o->tested->key.n = 0; /* they come back with what is new */
}

void hd_tried_mark_known(struct hd_explorer *x)
{
    struct hd_races *r = x->o->races;
    char key[HD_RACE_KEY], variable[256];
    u64 site[2];
    for (size_t i = 0; x->done.n && x->symbols && i < r->pair.n; i++) {
        if (!hd_race_sites(x, &r->pair.at[i], site))
            continue;
        hd_race_variable(x, &r->pair.at[i], variable, sizeof variable);
        hd_race_key(x, site, variable, key);
        r->pair.at[i].is_known = hd_explorer_is_done(x, key);
    }
}

void hd_tried_remember(struct hd_explorer *x)
{
    for (size_t i = 0; i < x->done.n + x->left.n; i++) {
        char *key = i < x->done.n ? x->done.at[i] : x->left.at[i - x->done.n];
        if (x->o->tested)
            *hd_vec_add(&x->o->tested->key) = key;
        else
            free(key);
    }
    hd_vec_release(&x->done);
    hd_vec_release(&x->left);
}
