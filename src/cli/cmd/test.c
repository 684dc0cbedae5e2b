/* test.c: heddle test: the main job. docs/cmd/test.md */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/search_run.h"
#include "campaign/limit.h"
#include "detect/races.h"
#include "cli/cli.h"
#include "cli/project.h"
#include "report/explain/model.h"
#include "report/wanted.h"

struct printed {
    const struct hd_options *o;
    u32 n;
};

static void show(void *self, const struct hd_finding *f, struct hd_symbols *s)
{
    struct printed *w = self;
    hd_cli_suite_found(w->o->result, f, s);
    if (hd_output_owns_stdout(w->o))
        return;
    if (w->o->wanted && !hd_wanted_is(w->o->wanted, f, s)) {
        char title[1024];
        hd_report_title(f, s, title, sizeof title);
        hd_cli_print("another failure, kept aside in %s: %s", f->dir, title);
        return;
    }
    struct hd_text_opts how = hd_cli_text_opts(stdout);
    if (w->n++)
        putchar('\n');
    if (!w->o->format || strcmp(w->o->format, "tsan") || !hd_report_tsan(stdout, f, s))
        hd_report_text(stdout, f, s, &how);
    fflush(stdout);
}

static void print_start(const struct hd_options *o, const struct hd_target *t)
{
    char number[32] = "", budget[96];
    if ((o->search ? o->search->param_name : o->strategy->param_name) &&
        o->strategy_param != HD_NO_BOUND)
        snprintf(number, sizeof number, "=%llu", (unsigned long long)o->strategy_param);
    if (o->runs && o->seconds > 0)
        snprintf(budget, sizeof budget, "up to %llu runs or %g s", (unsigned long long)o->runs,
                 o->seconds);
    else if (o->runs)
        snprintf(budget, sizeof budget, "up to %llu run%s", (unsigned long long)o->runs,
                 o->runs == 1 ? "" : "s");
    else if (!(o->seconds > 0))
        snprintf(budget, sizeof budget, o->until ? "until coverage is saturated"
                                                 : "until nothing new is left to test");
    else
        snprintf(budget, sizeof budget, "up to %.3g s", o->seconds);
    if (o->project)
        hd_cli_print("options from %s", o->project->path);
    hd_cli_print("testing %s: strategy %s%s, seed %llu, %s", t->path, hd_options_strategy(o),
                 number, (unsigned long long)o->seed, budget);
}

/* Exit code and, for 98 and 99, the sentence. */
static int conclude(const struct hd_campaign *c, const struct hd_options *o, int e,
                    struct hd_error *err)
{
    char what[512];
    if (o->wanted ? c->is_reproduced : c->n_findings || o->still_fails)
        return HD_EXIT_FINDING;
    if (o->wanted && !e) {
        hd_wanted_format(o->wanted, what, sizeof what);
        return hd_error_set(err, HD_EXIT_INCONCLUSIVE,
                            "%s was not brought about in %llu runs; %u other failure%s kept in %s; give "
                            "more runs (--runs, --time), or the input that it failed with", what,
                            (unsigned long long)c->runs, c->n_findings,
                            c->n_findings == 1 ? " is" : "s are", o->dir);
    }
    if (e)
        return c->is_refused ? HD_EXIT_INCONCLUSIVE : HD_EXIT_FAILED;
    const char *why = hd_campaign_inconclusive(c);
    if (!why)
        return HD_EXIT_OK;
    return hd_error_set(err, HD_EXIT_INCONCLUSIVE, "%s", why);
}

/* Are processes that it starts tested, if it is not what is to be tested itself? */
static bool may_be_command(const struct hd_options *o)
{
    return !o->children && !o->scripted && !o->result;
}

static bool is_command(const struct hd_campaign *c, const struct hd_options *o)
{
    return may_be_command(o) && !c->n_findings && !o->still_fails && !c->interrupted &&
           (c->max_threads < 2 || !c->is_instrumented) && c->uncontrolled >> HD_UNC_CHILD & 1;
}

/* Says what the campaign came to, to people and in files. Returns the exit code. */
static int end(const struct hd_campaign *c, const struct hd_campaign_opts *co,
               const struct hd_options *o, int e, struct hd_error *err)
{
    hd_cli_summary(c, co, o);
    int code = conclude(c, o, e, err);
    if (err->text[0] && (e || code != HD_EXIT_FINDING))
        hd_cli_fail(code, "%s", err->text);
    struct hd_outcome outcome;
    hd_cli_outcome(&outcome, c, co);
    struct hd_result result = {
        o->is_races ? "races" : "test", co->target->path, o->rest, o, c, code,
        err->text[0] ? err->text : NULL, co->suppress, co->cover, co->director,
        code == HD_EXIT_OK ? &outcome : NULL};
    code = hd_output(&result);
    hd_cli_suite_ended(o->result, &result);
    return code;
}

/* A new build: findings of earlier ones first; of this one as well if it has another library now. The campaign
 * goes on after one that still fails: it is to be found, explained and saved as a finding of this build. */
static void replay_earlier(struct hd_options *o, const struct hd_campaign_opts *co)
{
    const struct hd_cover *cover = co->cover;
    if (!cover || !cover->store || o->children || o->wanted)
        return;
    if (cover->inherited.is_new || cover->inherited.libraries.v.n)
        o->still_fails = hd_cli_again(o, cover->store, cover->inherited.libraries.v.n ? 0 : cover->build,
                                      co->target->path, co->suppress);
}

int hd_cli_test(struct hd_options *o, const char *command)
{
    struct hd_target target;
    struct hd_campaign c;
    struct hd_oracle oracle;
    struct hd_around around;
    struct hd_suppressions suppress;
    struct printed printed = {o, 0};
    struct hd_error err = {""};
    int code = hd_output_check(o);
    if (!code)
        code = hd_cli_oracle(&oracle, o);
    if (!code)
        code = hd_cli_around(&around, o);
    if (!code)
        code = hd_cli_suppressions(&suppress, o);
    if (code)
        return code;
    if (hd_target_open(&target, o->children ? o->children->meant->program : o->rest[0], &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    code = hd_cli_without_locks(o, &target);
    if (code)
        return code;
    struct hd_campaign_opts co = {
        .target = &target, .argv = o->rest, .runs = o->runs, .seconds = o->seconds,
        .timeout_ms = o->timeout_ms, .jobs = o->jobs, .keep_going = o->keep_going || o->wanted, .wanted = o->wanted,
        .exit_ok = o->exit_ok, .n_exit_ok = o->n_exit_ok, .dir = o->dir, .quiet = o->quiet,
        .show_output = o->show_output,
        .minimize_seconds = o->no_minimize ? 0 : o->minimize_seconds, .on_finding = show, .self = &printed,
        .around = hd_around_is_empty(&around) ? NULL : &around,
        .oracle = hd_oracle_is_empty(&oracle) ? NULL : &oracle, .suppress = &suppress,
        .command = command, .scope = o->scope,
    };
    hd_options_config(o, &co.cfg);
    if (o->search)
        hd_search_run_config(&co.cfg);
    if (!o->quiet)
        print_start(o, &target);
    co.script = o->scripted;
    co.children = o->children;
    co.is_single = o->scripted || o->children || o->show_output;
    co.stdin_fd = hd_cli_input(o);
    co.cover = hd_cli_cover_open(o, &target, o->rest, co.stdin_fd, o->jobs);
    struct hd_races races;
    hd_races_init(&races);
    if (co.cover && !o->no_race) {
        hd_cover_races(co.cover, &races);
        co.races = &races;
        co.is_races = o->is_races;
        co.brings_all = o->brings_all;
        co.no_memory = o->no_memory;
        co.tested = o->tested;
    }
    co.until_saturated = o->until != NULL;
    co.until_done = hd_options_is_driven(o) && !o->runs && !o->until && (o->result || !(o->seconds > 0));
    co.until_command = may_be_command(o);
    code = hd_cli_director_open(&co.director, o, &co);
    if (code) {
        hd_cover_close(co.cover);
        hd_races_release(&races);
        return code;
    }
    replay_earlier(o, &co);
    int e = hd_campaign_run(&c, &co, &err);
    if (c.save_error.text[0])
        hd_cli_print("warning: %s", c.save_error.text);
    o->is_command = is_command(&c, o);
    code = o->is_command && c.max_threads < 2 ? HD_CLI_COMMAND : end(&c, &co, o, e, &err);
    hd_director_close(co.director);
    hd_cover_close(co.cover);
    hd_races_release(&races);
    hd_campaign_release(&c);
    hd_oracle_release(&oracle);
    hd_suppress_release(&suppress);
    if (co.stdin_fd >= 0)
        close(co.stdin_fd);
    return code;
}

int hd_cmd_test(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "test", HD_FOR_test, argv, &code))
        return code;
    struct hd_wanted wanted;
    struct hd_error err;
    if (o.reproduce && hd_wanted_read(&wanted, o.reproduce, o.n_rest ? o.rest[0] : NULL, &err)) {
        hd_options_release(&o);
        return hd_cli_fail(HD_EXIT_USAGE, "%s", err.text);
    }
    o.wanted = o.reproduce ? &wanted : NULL;
    char *command = hd_cli_command("test", argv);
    code = o.script                  ? hd_cli_script(&o, argv, command, hd_cli_test)
           : o.tests || o.list_tests ? hd_cli_tests(&o, command)
                                     : hd_cli_command_or_program(&o, command);
    free(command);
    hd_options_release(&o);
    return code;
}
