/* judge.c: see judge.h. */
#include "campaign/race/judge/judge.h"
#include "campaign/race/explorer.h"
#include "minimize/recheck.h"
#include "process/confirm.h"
#include "strategy/strategy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_OUTPUT 65536

/* ---- runs ---------------------------------------------------------------------------- */

static void take_output(struct hd_outcome *r, int fd)
{
    r->out = calloc(1, MOST_OUTPUT + 1);
    HD_ASSERT(r->out);
    while (fd >= 0 && r->n < MOST_OUTPUT) {
        ssize_t n = pread(fd, r->out + r->n, MOST_OUTPUT - r->n, (off_t)r->n);
        if (n <= 0)
            break;
        r->n += (size_t)n;
    }
}

struct hd_outcome hd_judge_run(struct hd_judge *j, u32 order, u64 variant)
{
    struct hd_outcome r = {0};
    struct hd_shm_host *m = j->w->host;
    const struct hd_list *l = &j->script[order];
    if (!m || l->v.n > HD_SHM_LOG || hd_replay_to_shm(&j->base, &j->w->run))
        return r;
    memcpy(hd_shm_script_choice(m), l->v.at, l->v.n * sizeof *l->v.at);
    m->script_n = (u32)l->v.n;
    m->plan.n = m->plan.n_goals = 0;
    struct hd_config *c = &m->cfg;
    c->mode &= ~(u32)(HD_MODE_STRICT | HD_MODE_STREAM | HD_MODE_ALL_EVENTS | HD_MODE_DETAIL);
    c->mode |= HD_MODE_REPLAY | (j->wants_memory ? HD_MODE_FINAL : 0);
    if (j->sound >> order & 1)
        c->mode &= ~(u32)HD_MODE_HEAP_ALL;
    c->strategy = hd_strategy_index(hd_strategy_find("stay"));
    c->strategy_param = HD_MIN(variant, (u64)2);
    c->seed = j->base.cfg.seed + variant * 0x9e3779b97f4a7c15ull;
    c->early_per_1024 = 0;
    if (!hd_races_run(j->o, j->w, j->base.run))
        return r;
    r.kind = j->w->run.verdict.kind;
    r.status = j->w->run.verdict.status;
    r.is_there = r.kind != HD_V_LIMIT && r.kind != HD_V_NONE && r.kind != HD_V_ENV;
    j->sound = r.kind == HD_V_HEAP ? 0 : j->sound | (u32)r.is_there << order;
    take_output(&r, j->w->out_fd);
    return r;
}

bool hd_judge_is_same(const struct hd_judge *j, const struct hd_outcome *a, const struct hd_outcome *b)
{
    if (a->kind != b->kind || a->status != b->status)
        return false;
    return !j->has_output || (a->n == b->n && !memcmp(a->out, b->out, a->n));
}

/* ---- words --------------------------------------------------------------------------- */

/* The first line of `a` that `b` has not in the same place. */
static const char *differing_line(const struct hd_outcome *a, const struct hd_outcome *b, int *n)
{
    size_t from = 0;
    for (size_t i = 0; i < a->n && i < b->n && a->out[i] == b->out[i]; i++)
        if (a->out[i] == '\n')
            from = i + 1;
    *n = (int)strcspn(a->out + from, "\n");
    return a->out + from;
}

void hd_judge_describe(const struct hd_judge *j, char *to, size_t size, const struct hd_outcome *a,
                       const struct hd_outcome *b)
{
    const char *word = hd_replay_verdict_word(a->kind);
    int n = 0;
    if (hd_races_is_failure(j->o, &(struct hd_verdict){.kind = a->kind, .status = a->status}) &&
        a->kind != HD_V_EXIT) {
        snprintf(to, size, "the run fails (%s)", word ? word : "?");
    } else if (a->status != b->status && WIFEXITED(a->status)) {
        snprintf(to, size, "the program ends with status %d", WEXITSTATUS(a->status));
    } else if (j->has_output && a->out && b->out && strcmp(a->out, b->out)) {
        const char *line = differing_line(a, b, &n);
        if (!n)
            snprintf(to, size, "the program prints %s", a->n ? "nothing there" : "nothing");
        else
            snprintf(to, size, "the program prints \"%.*s\"", n > 60 ? 60 : n, line);
    } else {
        snprintf(to, size, "the program ends as in the other order");
    }
}

/* ---- what a run was --------------------------------------------------------------------- */

bool hd_judge_threads(const struct hd_finding *f, u16 tid[2])
{
    u32 found = 0;
    for (u32 i = 0; i < f->n_events; i++)
        for (u32 k = 0; k < 2; k++)
            if (f->events[i].step == f->race.step[k] && !(found >> k & 1)) {
                tid[k] = f->events[i].tid;
                found |= 1u << k;
            }
    return found == 3;
}

void hd_judge_take(struct hd_judge *j, struct hd_finding *f, struct hd_finding *failed)
{
    if (!failed->modules && !hd_finding_take(failed, j->w, f->program, f->replay.argv)) {
        hd_recheck(failed, j->w, 3 * j->o->timeout_ms);
        failed->race = f->race;
        failed->race.class = HD_RACE_FAILS;
    }
}

u32 hd_judge_count(const struct hd_judge *j, const struct hd_outcome *r, u32 n)
{
    u32 same = 0;
    for (u32 i = 0; i < n; i++)
        same += hd_judge_is_same(j, &r[0], &r[i]);
    return same;
}

bool hd_judge_decides(const u32 fails[2], u32 n)
{
    u32 more = fails[0] > fails[1] ? fails[0] - fails[1] : fails[1] - fails[0];
    return n && 2 * more >= n;
}

/* ---- life ---------------------------------------------------------------------------- */

bool hd_judge_begin(struct hd_judge *j, const struct hd_finding *f, struct hd_worker_state *before,
                    struct hd_finding *failed)
{
    memset(failed, 0, sizeof *failed);
    int e = hd_worker_remember(before, j->w);
    if (!e && (e = hd_replay_copy(&j->base, &f->replay)))
        hd_worker_put_back(before, j->w);
    if (e)
        return false;
    j->base.n = 0;
    j->base.run = HD_MAX(j->base.run, (u64)1); /* sites must have been known before it */
    return true;
}

void hd_judge_try_output(struct hd_judge *j)
{
    struct hd_outcome a = hd_judge_run(j, 0, 0), b = hd_judge_run(j, 0, 0);
    j->has_output = a.is_there && b.is_there && hd_judge_is_same(j, &a, &b);
    free(a.out);
    free(b.out);
}

void hd_judge_end(struct hd_judge *j, struct hd_worker_state *before, struct hd_finding *f,
                  const struct hd_finding *failed)
{
    if (failed->modules)
        f->race.class = HD_RACE_FAILS;
    hd_replay_release(&j->base);
    for (u32 i = 0; i < HD_COUNT(j->script); i++)
        hd_list_release(&j->script[i]);
    hd_worker_put_back(before, j->w);
}
