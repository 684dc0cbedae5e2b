/* found.c: from a failed run in shared memory to a finding: copied at once
 * (the next run overwrites it), named, confirmed by replaying its schedule on
 * the same worker, saved, shown. */
#include "campaign/campaign.h"
#include "campaign/delay.h"
#include "minimize/minimize.h"
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stop.h"
#include "report/suppress.h"
#include "strategy/strategy.h"

#define SLOW_NS 1000000000ll
#define RESTARTS 3 /* of a server that dies while a finding is confirmed */

/* ---- confirm --------------------------------------------------------------- */

int hd_worker_remember(struct hd_worker_state *b, struct hd_worker *w)
{
    struct hd_shm *m = w->shm;
    b->cfg = m->cfg;
    b->learned = m->learned;
    b->n_sites = m->n_sites;
    b->sites = calloc(HD_SHM_SITES, sizeof *b->sites);
    if (!b->sites)
        return -ENOMEM;
    HD_SITES_EACH(i, m)
        b->sites[i] = hd_shm_sites(m)[i];
    return 0;
}

void hd_worker_put_back(struct hd_worker_state *b, struct hd_worker *w)
{
    struct hd_shm *m = w->shm;
    if (!m) { /* could not be started again */
        free(b->sites);
        return;
    }
    m->cfg = b->cfg;
    m->learned = b->learned;
    m->n_sites = b->n_sites;
    m->script_n = m->n_script_answers = 0;
    HD_SITES_EACH(i, m)
        hd_shm_sites(m)[i] = b->sites[i];
    free(b->sites);
}

/* A run ended by the clock or its script has no end of its own to compare. */
static bool is_same(const struct hd_replay *r, const struct hd_worker *w)
{
    const struct hd_shm *m = w->shm;
    return m->verdict.kind == r->verdict &&
           (r->limit == HD_RUN_LIMIT_TIME || (w->script && w->timed_out) || m->stats.hash == r->hash);
}

/* One replay; false: the server died, or could not be told. */
static bool replay_once(struct hd_worker *w, const struct hd_replay *r, bool is_last,
                        u32 timeout_ms)
{
    /* Each time anew: a learning run leaves more sites behind than it found. */
    if (hd_replay_to_shm(r, w->shm))
        return false;
    w->shm->cfg.mode &= ~(u32)HD_MODE_STREAM;
    if (is_last)
        w->shm->cfg.mode |= HD_MODE_DETAIL; /* for whoever takes it from there */
    if (hd_worker_send(w, r->run, 1)) {
        w->is_dead = true;
        return false;
    }
    return hd_worker_await(w, timeout_ms);
}

u32 hd_confirm(struct hd_worker *w, const struct hd_replay *r, u32 *times, u32 timeout_ms)
{
    struct hd_worker_state b;
    u32 same = 0, tried = 0, restarts = 0, want = *times;
    *times = 0;
    if (hd_worker_remember(&b, w))
        return 0;
    while (tried < want && !(tried ? hd_stop_is_due() : hd_stop_is_late())) {
        if (replay_once(w, r, tried + 1 == want, timeout_ms)) {
            tried++;
            same += is_same(r, w);
            continue;
        }
        /* Not the schedule's fault, unless it happens each time. */
        if (!w->is_dead || hd_stop_is_late() || restarts++ == RESTARTS || hd_worker_restart(w))
            break;
    }
    *times = tried;
    hd_worker_put_back(&b, w);
    return same;
}

/* ---- take ------------------------------------------------------------------- */

int hd_found_take(struct hd_finding *f, struct hd_worker *w, const char *program,
                  char *const *argv)
{
    struct hd_replay r;
    memset(f, 0, sizeof *f);
    int e = hd_replay_from_shm(&r, w->shm, program, argv);
    if (e)
        return e;
    e = hd_inherited_copy(&r.inherited, w->inherited);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    const struct hd_strategy *s = hd_strategy_at(w->shm->cfg.strategy);
    const char *name = w->directed_by ? w->directed_by : s ? s->name : "?";
    snprintf(r.strategy, sizeof r.strategy, "%s", name);
    e = hd_finding_from_shm(f, w->shm, w->out_fd, w->err_fd);
    if (e) {
        hd_replay_release(&r);
        return e;
    }
    f->replay = r;
    f->strategy = name;
    f->seed = w->shm->cfg.seed;
    f->run = w->shm->run;
    snprintf(f->program, sizeof f->program, "%s", program);
    return 0;
}

static struct hd_symbols *symbols_for(struct hd_campaign *c, const struct hd_finding *f)
{
    /* dlopen may have added objects since the last finding */
    if (c->symbols && c->symbols_modules != f->n_modules) {
        hd_symbols_close(c->symbols);
        c->symbols = NULL;
    }
    if (!c->symbols)
        c->symbols = hd_symbols_open(f->modules, f->n_modules);
    c->symbols_modules = f->n_modules;
    return c->symbols;
}

static bool is_known(struct hd_campaign *c, const char *id)
{
    for (u32 i = 0; i < c->n_findings; i++)
        if (!strcmp(c->findings[i].id, id)) {
            c->times[i]++;
            return true;
        }
    for (u32 i = 0; i < c->n_remarks; i++)
        if (!strcmp(c->remarks[i].id, id))
            return true;
    return false;
}

static int append(struct hd_campaign *c, const struct hd_finding *f)
{
    struct hd_finding *grown = realloc(c->findings, sizeof *grown * (c->n_findings + 1));
    if (!grown)
        return -ENOMEM;
    c->findings = grown;
    u32 *times = realloc(c->times, sizeof *times * (c->n_findings + 1));
    if (!times)
        return -ENOMEM;
    c->times = times;
    times[c->n_findings] = 1;
    grown[c->n_findings++] = *f;
    return 0;
}

/* Five replays, fewer where each means a long wait. */
static u32 confirm_times(const struct hd_finding *f, s64 took_ns)
{
    return took_ns > SLOW_NS ? 2 : HD_CONFIRM_TIMES;
}

static void save(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_finding *f,
                 struct hd_symbols *s)
{
    if (o->dir)
        hd_save_finding(f, s, o->dir, o->stdin_fd, c->save_error, sizeof c->save_error);
}

/* The finding is on disk by then: whatever happens now, it is not lost. */
static void minimize(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                     struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_minimize_opts how = {.seconds = o->minimize_seconds,
                                   .replays = HD_MINIMIZE_REPLAYS,
                                   .timeout_ms = o->timeout_ms,
                                   .exit_ok = o->exit_ok,
                                   .n_exit_ok = o->n_exit_ok};
    hd_minimize(f, s, w, &how);
    if (f->decided.is_minimized || !hd_stop_is_late())
        save(c, o, f, s); /* else there is little new, and no time */
}

int hd_found_keep(struct hd_campaign *c, const struct hd_campaign_opts *o, struct hd_worker *w,
                  const struct hd_finding *taken, s64 took_ns, bool *is_new, char *err, size_t size)
{
    struct hd_finding f = *taken;
    *is_new = false;
    hd_recheck(&f, w, 3 * o->timeout_ms);
    f.runs_until = c->runs;
    f.seconds = (double)(w->ended_ns - c->started_ns) / 1e9;
    f.stats.uncontrolled |= w->uncontrolled;
    struct hd_symbols *s = symbols_for(c, &f);
    hd_finding_identify(&f, s);
    f.command = o->command;
    f.oracle = o->oracle;
    f.around = o->around;
    bool is_suppressed = hd_suppress_find(o->suppress, &f, s);
    c->suppressed += is_suppressed;
    if (is_suppressed || is_known(c, f.id)) {
        hd_finding_release(&f);
        return 0;
    }
    struct hd_script_kept script; /* of this run, not of the replays */
    hd_script_keep(&script, w);
    f.script = w->script ? &script : NULL;
    f.tried = confirm_times(&f, took_ns);
    /* Following a script may take longer than the run did. */
    f.reproduced = hd_confirm(w, &f.replay, &f.tried, 3 * o->timeout_ms);
    if (f.tried && f.reproduced == f.tried && !w->is_dead)
        hd_finding_details(&f, w->shm);
    int e = append(c, &f);
    if (e) {
        hd_finding_release(&f);
        hd_script_kept_release(&script);
        snprintf(err, size, "out of memory");
        return e;
    }
    struct hd_finding *kept = &c->findings[c->n_findings - 1];
    save(c, o, kept, s);
    if (o->minimize_seconds > 0 && !w->is_dead && !hd_stop_is_due())
        minimize(c, o, w, kept, s);
    if (kept->stats.delay.ns > 0) {
        kept = hd_delay_judge(c, o, w, kept);
        save(c, o, kept, s); /* with its label */
    }
    kept->script = NULL; /* saved */
    hd_script_kept_release(&script);
    if (w->shm)
        w->counted = w->shm->totals; /* replays are no runs of the campaign */
    c->found_ns = hd_monotonic_ns();
    if (o->on_finding)
        o->on_finding(o->self, kept, s);
    *is_new = true;
    return 0;
}
