/* table.c: what a suite came to: a table for people, JUnit for build servers. */
#include "suite/suite.h"

#include <stdlib.h>
#include <string.h>

#include "report/clean.h"
#include "report/finding.h"

static u32 width_of(const struct hd_suite *s)
{
    size_t n = strlen("input");
    for (size_t i = 0; i < s->input.n; i++)
        n = HD_MAX(n, strlen(s->input.at[i].name));
    return (u32)HD_MIN(n, (size_t)40);
}

static void put_outcome(FILE *to, const struct hd_suite *s, const struct hd_suite_input *in)
{
    const struct hd_suite_result *r = &in->result;
    if (in->profile.state == HD_SUITE_UNSEEN)
        fputs("not run", to);
    else if (in->profile.state != HD_SUITE_READY)
        hd_clean_printf(to, "left out: %s", in->profile.why ? in->profile.why : "?");
    else if (r->is_look && r->findings)
        hd_clean_printf(to, "not chosen, %llu runs: %s", (unsigned long long)r->runs, r->title);
    else if (r->is_look)
        fprintf(to, "not chosen, %llu runs: nothing found", (unsigned long long)r->runs);
    else if (!in->is_chosen && in->covered_by)
        hd_clean_printf(to, "left out: %s shows all of it",
                        s->input.at[in->covered_by - 1].name);
    else if (!in->is_chosen)
        fputs("left out: the chosen ones show all of it", to);
    else if (!r->is_tested)
        fputs("chosen, not tested", to);
    else if (r->was_known)
        hd_clean_printf(to, "found before: %s", r->title);
    else if (r->findings)
        hd_clean_printf(to, "%llu runs: %s", (unsigned long long)r->runs, r->title);
    else if (r->why)
        hd_clean_printf(to, "%llu runs, inconclusive: %s", (unsigned long long)r->runs, r->why);
    else
        fprintf(to, "%llu runs: nothing found", (unsigned long long)r->runs);
    if (in->profile.differs)
        fputs(" (differs between runs of the same schedule)", to);
    fputc('\n', to);
}

struct sums {
    u32 known; /* cheap runs of earlier suites */
    u32 usable, chosen, tested, findings, bad, single;
    u64 pairs, events, chosen_events, runs;
    double seconds, chosen_seconds;
};

static void add_up(const struct hd_suite *s, struct sums *t)
{
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_suite_input *in = &s->input.at[i];
        const struct hd_suite_profile *p = &in->profile;
        t->known += p->was_known;
        t->bad += p->state != HD_SUITE_READY && p->state != HD_SUITE_SINGLE;
        t->single += p->state == HD_SUITE_SINGLE;
        if (p->state != HD_SUITE_READY)
            continue;
        t->usable++;
        t->pairs += p->pair.n;
        t->events += p->events;
        t->seconds += p->seconds;
        t->chosen += in->is_chosen;
        t->tested += in->result.is_tested;
        t->findings += in->result.findings;
        t->runs += in->result.runs;
        t->chosen_events += in->is_chosen ? p->events : 0;
        t->chosen_seconds += in->is_chosen ? p->seconds : 0;
    }
}

static double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

static void put_sums(FILE *to, const struct hd_suite *s)
{
    struct sums t = {0};
    add_up(s, &t);
    fprintf(to, "%zu input%s: %u can be tested, %u have one thread only, %u cannot be used\n",
            s->input.n, s->input.n == 1 ? "" : "s", t.usable, t.single, t.bad);
    fprintf(to, "%u pair%s of functions", s->pairs, s->pairs == 1 ? "" : "s");
    if (t.usable > 1)
        fprintf(to, "; an input shares %.0f %% of its own with another",
                t.pairs > s->pairs ? percent((double)(t.pairs - s->pairs), (double)t.pairs) : 0.0);
    fputc('\n', to);
    fprintf(to, "%u chosen, %u tested: %llu runs, %u finding%s\n", t.chosen, t.tested,
            (unsigned long long)t.runs, t.findings, t.findings == 1 ? "" : "s");
    if (t.usable > t.chosen)
        fprintf(to,
                "saved by the choice: %.0f %% of the events of all inputs, %.0f %% of the time of "
                "their runs\n",
                percent((double)(t.events - t.chosen_events), (double)t.events),
                percent(t.seconds - t.chosen_seconds, t.seconds));
    if (t.known)
        fprintf(to, "%u of the cheap runs were made before\n", t.known);
    fprintf(to, "%.1f s for the cheap runs, %.1f s for testing%s\n", s->profile_seconds,
            s->test_seconds, s->is_interrupted ? "; interrupted" : "");
}

void hd_suite_table(FILE *to, const struct hd_suite *s)
{
    int width = (int)width_of(s);
    fprintf(to, "%-*s  %7s  %6s  %6s  %9s  outcome\n", width, "input", "threads", "pairs", "new",
            "events");
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_suite_input *in = &s->input.at[i];
        hd_clean_printf(to, "%-*.*s", width, width, in->name);
        fprintf(to, "  %7u  %6zu  %6zu  %9llu  ", in->profile.threads, in->profile.pair.n, in->news.n,
                (unsigned long long)in->profile.events);
        put_outcome(to, s, in);
    }
    put_sums(to, s);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

void hd_suite_junit(FILE *to, const struct hd_suite *s)
{
    struct hd_junit_case *all = calloc(s->input.n + 1, sizeof *all);
    HD_ASSERT(all);
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_suite_input *in = &s->input.at[i];
        const struct hd_suite_result *r = &in->result;
        all[i] = (struct hd_junit_case){.name = in->name, .seconds = r->seconds};
        if (r->findings) {
            all[i].kind = r->kind;
            all[i].title = r->title;
            all[i].text = r->text;
        } else if (!r->is_tested || r->why) {
            all[i].skipped = r->why                  ? r->why
                             : in->profile.why       ? in->profile.why
                             : in->is_chosen         ? "no time was left"
                             : in->profile.state     ? "other inputs show all of it"
                                                     : "not run";
        }
    }
    hd_junit_cases(to, s->name, all, (u32)s->input.n);
    free(all);
}
