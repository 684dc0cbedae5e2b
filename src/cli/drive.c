/* drive.c: driving (plan/drive/drive.h) on the command line: what to target, and what
 * to say about it. */
#include <stdlib.h>
#include <string.h>

#include "campaign/race/races.h"
#include "cli/cli.h"

#define PREDICT_BYTES_RACES ((size_t)2 << 20) /* races are what the runs are for, orders in general
                                                 come second */

static bool parse_idioms(const char *text, u32 *set)
{
    *set = 0;
    for (const char *at = text; *at; at += *at == ',') {
        if (*at < '1' || *at > '6')
            return false;
        *set |= 1u << (*at - '0');
        if (*++at && *at != ',')
            return false;
    }
    return *set != 0;
}

int hd_cli_director_open(struct hd_director **out, const struct hd_options *o,
                         const struct hd_campaign_opts *co)
{
    bool no_learning = hd_options_is_given(o, "learn") && !o->learn;
    struct hd_director_opts how = {
        .target = co->target, .argv = co->argv, .stdin_fd = co->stdin_fd, .dir = co->dir,
        .exit_ok = co->exit_ok, .n_exit_ok = co->n_exit_ok, .jobs = co->jobs,
        .timeout_ms = co->timeout_ms, .cfg = &co->cfg, .cover = co->cover,
        .search = o->search, .search_param = o->strategy_param,
        .search_learn = no_learning ? HD_LEARN_NONE : o->learn, .search_fresh = o->fresh,
        .learn_from = o->learn_from, .window = o->window,
        .predict_bytes = o->is_races ? PREDICT_BYTES_RACES : 0,
        .is_driven = hd_options_is_driven(o), .as_paper = !strcmp(o->strategy->name, "maple"),
        .tries = o->tries, .tries_all = o->tries_all,
        .no_memory = o->no_memory, .is_profile = o->profile, .no_corpus = o->no_corpus || !strcmp(o->strategy->name, "maple"), .only = o->candidate, .look = o->is_look && o->tested ? &o->tested->look : NULL, .wanted = co->wanted,
    };
    struct hd_error err;
    *out = NULL;
    if (o->idioms && !parse_idioms(o->idioms, &how.idioms))
        return hd_cli_fail(HD_EXIT_USAGE, "--idioms wants numbers from 1 to 6: 1,2,5; not '%s'",
                           o->idioms);
    if (hd_director_open(out, &how, &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    return 0;
}

/* What each kind of run got and brought. */
static void print_arms(const struct hd_drive_result *r)
{
    hd_cli_print("%-10s %8s %8s %10s", "runs of", "runs", "cost", "with news");
    for (u32 i = 0; i < HD_ARMS; i++)
        if (r->arm[i].runs)
            hd_cli_print("%-10s %8llu %8llu %10llu", hd_arm_name(i),
                         (unsigned long long)r->arm[i].runs, (unsigned long long)r->arm[i].cost,
                         (unsigned long long)r->arm[i].news);
}

void hd_cli_drive_print(const struct hd_drive *d, const struct hd_options *o)
{
    struct hd_drive_result r;
    if (!d || o->quiet)
        return;
    hd_drive_result(d, &r);
    const struct hd_drive_count *all = &r.count[0];
    if (o->verbose)
        hd_cli_print(
            "%llu run%s to learn, %llu driven, %llu at random, %llu from the corpus; orders of events that could "
            "happen and were not tested: %u predicted, %u of them exposed, %u abandoned, %u left",
            (unsigned long long)r.runs[HD_DRIVE_PROFILE], r.runs[HD_DRIVE_PROFILE] == 1 ? "" : "s",
            (unsigned long long)r.runs[HD_DRIVE_ACTIVE], (unsigned long long)r.runs[HD_DRIVE_RANDOM],
            (unsigned long long)r.runs[HD_DRIVE_CORPUS],
            all->predicted, all->exposed,
            all->predicted - HD_MIN(all->predicted, all->exposed + r.open), r.open);
    if (o->verbose)
        print_arms(&r);
    if (o->candidate && !r.runs[HD_DRIVE_ACTIVE])
        hd_cli_print(
            "warning: the candidate was not predicted under this input, so no run could "
            "target it; more --runs may get there");
    if (r.unsteady[0])
        hd_cli_print(
            "warning: the program behaves differently under the same schedule (%s), so not "
            "every order can be exposed or replayed; what is drawn by chance or read from "
            "clocks besides the calls Heddle controls?",
            r.unsteady);
    if (all->skipped && o->verbose)
        hd_cli_print("%u more were tried often enough in earlier campaigns (--no-memory tries them "
                     "again)",
                     all->skipped);
}

static void put_count(struct hd_json *j, const char *name, const struct hd_drive_count *c)
{
    hd_json_object(j, name);
    hd_json_u64(j, "predicted", c->predicted);
    hd_json_u64(j, "exposed", c->exposed);
    hd_json_u64(j, "tried", c->tried);
    hd_json_u64(j, "hit", c->hit);
    hd_json_u64(j, "failed", c->failed);
    hd_json_u64(j, "skipped", c->skipped);
    hd_json_u64(j, "queued", c->queued);
    hd_json_u64(j, "queue_hit", c->queue_hit);
    hd_json_end(j);
}

void hd_cli_drive_json(struct hd_json *j, const struct hd_drive *d)
{
    struct hd_drive_result r;
    if (!d) {
        hd_json_str(j, "drive", NULL);
        return;
    }
    hd_drive_result(d, &r);
    hd_json_object(j, "drive");
    hd_json_u64(j, "profile_runs", r.runs[HD_DRIVE_PROFILE]);
    hd_json_u64(j, "active_runs", r.runs[HD_DRIVE_ACTIVE]);
    hd_json_u64(j, "random_runs", r.runs[HD_DRIVE_RANDOM]);
    hd_json_u64(j, "corpus_runs", r.runs[HD_DRIVE_CORPUS]);
    hd_json_u64(j, "open", r.open);
    hd_json_u64(j, "waiting", r.waiting);
    hd_json_u64(j, "left_out_runs", r.left_out);
    hd_json_f64(j, "predict_seconds", r.predict_seconds);
    hd_json_str(j, "unsteady", r.unsteady[0] ? r.unsteady : NULL);
    hd_json_object(j, "arms");
    for (u32 i = 0; i < HD_ARMS; i++) {
        hd_json_object(j, hd_arm_name(i));
        hd_json_u64(j, "runs", r.arm[i].runs);
        hd_json_u64(j, "cost", r.arm[i].cost);
        hd_json_u64(j, "with_news", r.arm[i].news);
        hd_json_end(j);
    }
    hd_json_end(j);
    put_count(j, "all", &r.count[0]);
    hd_json_object(j, "by_idiom");
    for (u32 i = 1; i <= 6; i++) {
        char name[4];
        snprintf(name, sizeof name, "%u", i);
        put_count(j, name, &r.count[i]);
    }
    hd_json_end(j);
    hd_json_end(j);
}
