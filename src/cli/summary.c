/* summary.c: what a campaign came to, at its end: in words; its numbers with -v. Findings
 * were shown when they came. */
#include <stdlib.h>

#include "campaign/limit.h"
#include "cli/cli.h"
#include "detect/races.h"
#include "plan/search_run.h"
#include "report/outcome.h"

/* ---- in words ------------------------------------------------------------------------------ */

static void take_orders(struct hd_outcome *out, const struct hd_campaign_opts *co)
{
    struct hd_covered r;
    struct hd_drive_result d;
    const struct hd_drive *drive = hd_drive_of(co->director);
    if (!co->cover)
        return;
    hd_cover_result(co->cover, &r);
    out->has_orders = r.runs && r.metrics >> HD_METRIC_iroot & 1;
    out->tested = r.covered[HD_METRIC_iroot];
    out->is_new = r.is_new[HD_METRIC_iroot];
    out->singles = r.singles;
    out->window = r.window;
    out->relaxed = r.relaxed;
    out->weaker = r.weaker;
    out->cut = r.cut;
    out->has_checked_races = co->races && r.metrics >> HD_METRIC_race & 1;
    if (!drive)
        return;
    hd_drive_result(drive, &d);
    const struct hd_drive_count *all = &d.count[0];
    out->is_predicted = true;
    out->left = d.open;
    out->waiting = d.waiting;
    out->unreached = all->skipped + all->predicted - HD_MIN(all->predicted, all->exposed + d.open);
}

void hd_cli_outcome(struct hd_outcome *out, const struct hd_campaign *c,
                    const struct hd_campaign_opts *co)
{
    *out = (struct hd_outcome){
        .runs = c->runs, .seconds = c->seconds, .threads = c->max_threads,
        .is_interrupted = c->interrupted, .suppressed = c->suppressed,
        .races = co->races ? (u32)co->races->pair.n : 0,
        .races_unconfirmed = c->races_unconfirmed, .races_left = c->races_left,
        .is_instrumented = c->is_instrumented, .uncontrolled = c->uncontrolled,
        .call = c->uncontrolled_call, .limited = hd_limit_runs(c)};
    take_orders(out, co);
}

static void print_words(const struct hd_campaign *c, const struct hd_campaign_opts *co)
{
    struct hd_outcome out;
    char line[1024], runs[28];
    if (c->n_findings) {
        hd_cli_print("%u finding%s %s %s run%s of %u threads (%.1f s)", c->n_findings,
                     c->n_findings == 1 ? "" : "s", c->interrupted ? "so far, interrupted after" : "in",
                     hd_outcome_count(runs, c->runs), c->runs == 1 ? "" : "s", c->max_threads,
                     c->seconds);
        return;
    }
    if (hd_campaign_inconclusive(c) && !c->interrupted)
        return; /* the error says it */
    hd_cli_outcome(&out, c, co);
    for (u32 i = 0; hd_outcome_line(&out, i, line, sizeof line); i++)
        hd_cli_print("%s", line);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void print_numbers(const struct hd_campaign *c)
{
    double rate = c->seconds > 0 ? (double)c->runs / c->seconds : 0;
    hd_cli_print(
        "%s%llu run%s in %.1f s (%.0f/s), %u threads, %.0f steps and %.0f choices a run: %u "
        "finding%s",
        c->interrupted ? "interrupted after " : "", (unsigned long long)c->runs,
        c->runs == 1 ? "" : "s", c->seconds, rate, c->max_threads,
        c->runs ? (double)c->steps / (double)c->runs : 0,
        c->runs ? (double)c->points / (double)c->runs : 0, c->n_findings,
        c->n_findings == 1 ? "" : "s");
}

static void print_races(const struct hd_campaign *c, const struct hd_options *o)
{
    for (u32 i = 0; i < c->n_races_seen; i++)
        hd_cli_print("race: %s", c->races_seen[i]);
    if (c->races_unseen)
        hd_cli_print("%u more pairs of accesses race", c->races_unseen);
    if (c->race_runs && (o->verbose || c->races_left))
        hd_cli_print("%llu more runs to bring about races%s", (unsigned long long)c->race_runs,
                     c->races_left ? ", not all: there were many, or the time was over" : "");
    if (c->races_before)
        hd_cli_print("%u possible race%s %s tried before", c->races_before,
                     c->races_before == 1 ? "" : "s", c->races_before == 1 ? "was" : "were");
    if (c->races_folded)
        hd_cli_print("%u more pairs of accesses race on variables that are named above", c->races_folded);
    for (u32 i = 0; o->predicted && i < c->n_races_possible; i++)
        hd_cli_print("possible race, not brought about: %s", c->races_possible[i]);
    if (!o->predicted && c->n_races_possible && o->is_races)
        hd_cli_print("%u possible race%s could not be brought about (--predicted lists them)",
                     c->n_races_possible, c->n_races_possible == 1 ? "" : "s");
    for (u32 i = 0; o->predicted && i < c->n_others_possible; i++)
        hd_cli_print("possible, not brought about: %s", c->others_possible[i]);
    if (!o->predicted && c->n_others_possible && o->is_races)
        hd_cli_print("%u more that %s possible could not be brought about (--predicted lists %s)",
                     c->n_others_possible, c->n_others_possible == 1 ? "is" : "are",
                     c->n_others_possible == 1 ? "it" : "them");
}

static void print_remarks(const struct hd_campaign *c, const struct hd_options *o)
{
    char line[512];
    for (u32 i = 0; hd_limit_format(c, i, line, sizeof line); i++)
        hd_cli_print("%s", line);
    if (o->verbose || c->n_findings || hd_campaign_inconclusive(c)) /* else it is among the words */
        hd_cli_print_uncontrolled(c);
    for (u32 i = 0; i < c->n_notes; i++)
        hd_cli_print("note: %s", c->notes[i]);
    if (!c->points && c->slow_points && c->sleep_at[0])
        hd_cli_print("note: %s", c->sleep_at);
    if (c->slow_runs && (o->verbose || c->n_remarks))
        hd_cli_print("%llu more run%s with delays of any length: %u remark%s",
                     (unsigned long long)c->slow_runs, c->slow_runs == 1 ? "" : "s", c->n_remarks,
                     c->n_remarks == 1 ? "" : "s");
    print_races(c, o);
    for (u32 i = 0; o->keep_going && i < c->n_findings; i++)
        hd_cli_print("  %s  %u time%s  %s", c->findings[i].id, c->times[i],
                     c->times[i] == 1 ? "" : "s", c->findings[i].dir);
}

void hd_cli_summary(const struct hd_campaign *c, const struct hd_campaign_opts *co,
                    const struct hd_options *o)
{
    if (!o->quiet && c->runs) {
        if (o->verbose)
            print_numbers(c);
        print_remarks(c, o);
        hd_cli_print_suppressions(co->suppress);
    }
    hd_cli_drive_print(hd_drive_of(co->director), o);
    hd_cli_cover_print(co->cover, o);
    char line[sizeof((struct hd_error *)0)->text]; /* sentences may name paths */
    const struct hd_search_outcome *search = hd_search_outcome(co->director);
    for (u32 i = 0; !o->quiet && search && hd_search_outcome_text(search, i, line, sizeof line); i++)
        hd_cli_print("%s", line);
    if (!o->quiet && c->runs)
        print_words(c, co);
}
