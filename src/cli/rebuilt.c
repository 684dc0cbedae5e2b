/* rebuilt.c: a schedule and a later build of its program. Sites are found again by
 * function and source line (campaign/places.c); choices that cannot be followed are
 * skipped; afterwards the log of the run tells where it first did something else. */
#include <string.h>

#include "campaign/places.h"
#include "cli/cli.h"

int hd_recorded_move(struct hd_recorded *a)
{
    u32 n, found, all;
    if (!a->is_rebuilt)
        return 0;
    const struct hd_module *modules = hd_snapshot_modules(&a->w.run, &n); /* no run yet */
    if (!a->c.symbols)
        a->c.symbols = hd_symbols_open(modules, n);
    hd_places_move(&a->r, modules, n, a->c.symbols, &found, &all);
    hd_cli_print("warning: %s is another build than the recorded one: %u of the %u places of the "
                 "schedule were found in it by their source lines",
                 a->r.program, found, all);
    if (!found)
        return hd_cli_fail(HD_EXIT_FAILED, "nothing of the schedule is left in this build: test it "
                           "with 'heddle test'");
    return 0;
}

static u64 address_of(const struct hd_recorded *a, u64 site)
{
    const struct hd_module *modules = a->w.run.modules;
    u32 module = HD_REPLAY_MODULE(site);
    for (u32 i = 0; module < a->r.n_modules && i < a->w.run.n_modules; i++)
        if (!strcmp(modules[i].path, a->r.modules[module].path))
            return modules[i].bias + HD_REPLAY_OFFSET(site);
    return 0;
}

static void name_step(const struct hd_recorded *a, u16 tid, u64 pc, char *buf, size_t size)
{
    struct hd_srcloc l;
    if (!pc || hd_symbols_code(a->c.symbols, pc, true, &l, 1) < 1 || !l.file)
        snprintf(buf, size, "thread %u", tid);
    else
        snprintf(buf, size, "thread %u at %s:%d%s%s", tid, l.file, l.line,
                 l.function ? " in " : "", l.function ? l.function : "");
}

u64 hd_recorded_followed(struct hd_recorded *a, char *deviation, size_t size)
{
    u32 n, i = 0, k = 0, left_i = 0, left_k = 0;
    const struct hd_choice *log = hd_snapshot_choices(&a->w.run, &n);
    const u64 *site = hd_snapshot_choice_sites(&a->w.run);
    u64 steps = 0;
    char want[600], got[600];
    deviation[0] = 0;
    for (; i < a->r.n && k < n;) {
        const struct hd_choice *w = &a->r.choice[i], *g = &log[k];
        u64 at = a->r.site[i] == HD_REPLAY_NO_SITE ? 0 : address_of(a, a->r.site[i]);
        bool begins = !left_i && !left_k;
        if (w->kind != g->kind || w->tid != g->tid || (begins && at && site[k] && at != site[k])) {
            name_step(a, w->tid, left_i ? 0 : at, want, sizeof want);
            name_step(a, g->tid, left_k ? 0 : site[k], got, sizeof got);
            snprintf(deviation, size, "it left the schedule at step %llu: wanted %s%s, found %s",
                     (unsigned long long)steps + 1, want,
                     left_i ? " to go on" : "", /* in the middle of a stretch */
                     got);
            return steps;
        }
        u32 done = HD_MIN(w->count - left_i, g->count - left_k);
        steps += w->kind == HD_CHOICE_PICK || w->kind == HD_CHOICE_RULE ? done : 0;
        left_i = (left_i + done) % w->count;
        left_k = (left_k + done) % g->count;
        i += !left_i;
        k += !left_k;
    }
    if (i < a->r.n)
        snprintf(deviation, size, "it ended after step %llu of the schedule's %llu",
                 (unsigned long long)steps, (unsigned long long)a->r.steps);
    return steps;
}
