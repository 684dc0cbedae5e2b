/* suite.c: a suite of inputs on the command line: each chosen one is a campaign like that of
 * `heddle test`, all in one store. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "process/inherit.h"
#include "suite/scope.h"

struct suite {
    const struct hd_options *o;
    const char *command;
    struct hd_race_memory tested; /* races, under inputs before */
};

void hd_cli_suite_found(struct hd_suite_result *r, const struct hd_finding *f, struct hd_symbols *s)
{
    char title[2048];
    if (!r)
        return;
    *hd_vec_add(&r->sarif) = hd_sarif_result(f);
    if (r->findings++)
        return;
    hd_report_title(f, s, title, sizeof title);
    r->kind = strdup(hd_finding_kind(f));
    r->title = strdup(title);
    r->text = hd_junit_text(f, s);
}

void hd_cli_suite_ended(struct hd_suite_result *r, const struct hd_result *of)
{
    if (!r)
        return;
    if (of->options->tested && of->cover && of->cover->races)
        hd_known_add(&of->options->tested->look.known, of->cover->races, &(struct hd_known_upto){0});
    r->runs = of->campaign->runs;
    r->race_runs = of->campaign->race_runs;
    if (of->cover && of->cover->races) {
        struct hd_cover *cover = (struct hd_cover *)of->cover; /* names are kept there */
        hd_race_list(&r->races, cover->races, &cover->places);
        hd_atomicity_list(&r->atomicity, cover->races, &cover->places);
    }
    r->seconds = of->campaign->seconds;
    r->events = of->cover ? of->cover->events : 0;
    r->was_interrupted = of->campaign->interrupted;
    if (of->options->still_fails && !r->findings) {
        r->findings = of->options->still_fails;
        r->kind = strdup("earlier");
        r->title = strdup("a finding of an earlier build still fails");
    }
    if (of->error && of->exit_code != HD_EXIT_FINDING)
        r->why = strdup(of->error);
}

int hd_cli_input(const struct hd_options *o)
{
    bool is_silent;
    if (o->scripted)
        return hd_cli_script_stdin(o);
    if (!o->result)
        return o->stdin_fd < 0 ? -1 : fcntl(o->stdin_fd, F_DUPFD_CLOEXEC, 0);
    int file = o->stdin_file ? open(o->stdin_file, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return -1;
    int fd = hd_stdin_copy(file, &is_silent);
    close(file);
    return fd;
}

/* ---- one input -------------------------------------------------------------------------------- */

static void add_statuses(struct hd_options *o, const struct hd_suite_input *in)
{
    for (u32 i = 0; i < in->n_exit_ok && o->n_exit_ok < HD_MAX_EXIT_OK; i++)
        o->exit_ok[o->n_exit_ok++] = in->exit_ok[i];
}

static void take_input(struct hd_options *own, struct hd_suite_input *in,
                       const struct hd_suite_share *share)
{
    own->rest = in->argv;
    for (own->n_rest = 0; in->argv[own->n_rest];)
        own->n_rest++;
    own->stdin_file = in->stdin_file;
    own->result = &in->result;
    own->json = own->sarif = own->junit = NULL;
    if (share->seconds > 0)
        own->seconds = share->seconds;
    if (share->runs)
        own->runs = share->runs;
    if (in->timeout_ms)
        own->timeout_ms = in->timeout_ms;
    if (in->setup)
        own->setup = in->setup;
    if (in->cleanup)
        own->cleanup = in->cleanup;
    if (in->check)
        own->check = in->check;
    add_statuses(own, in);
}

static int take_finding(void *self, const struct hd_store_finding *f)
{
    const struct hd_options *own = self;
    struct hd_suite_result *r = own->result;
    *hd_vec_add(&r->sarif) = hd_sarif_result_known(f->kind, f->key, f->title, own->rest[0]);
    if (r->findings++)
        return 0;
    r->kind = strdup(f->kind);
    r->title = strdup(f->title);
    HD_ASSERT(asprintf(&r->text, "Found before. Replay: heddle replay %s/replay.heddle\n", f->dir) > 0);
    return 0;
}

/* Has a suite that was cut off, or an earlier one, found something in this build under this
 * input? Then that is its result. */
static bool was_found(struct hd_options *own)
{
    struct hd_store *st;
    struct hd_places places = {0};
    struct hd_cover_key key;
    struct hd_target target;
    if (own->is_races || own->no_memory || hd_target_open(&target, own->rest[0], NULL) ||
        hd_store_open(&st, own->dir, HD_STORE_READ, 0, NULL))
        return false;
    int stdin_fd = hd_cli_input(own);
    if (!hd_cover_identify(&key, st, &places, &target, own->rest, stdin_fd))
        hd_store_findings_of(st, key.build, key.input, take_finding, own);
    if (stdin_fd >= 0)
        close(stdin_fd);
    hd_places_release(&places);
    hd_store_close(st, NULL);
    return own->result->was_known = own->result->findings > 0;
}

static int test_unless_found(struct hd_options *own, const char *command)
{
    return was_found(own) ? HD_EXIT_FINDING : hd_cli_test(own, command);
}

/* A script names program and arguments; the store knows the input by its name. */
static int test_scripted(struct hd_options *own, struct hd_suite_input *in, const char *command)
{
    struct hd_script_file file;
    struct hd_error err;
    int e = hd_script_load(&file, in->script, NULL, &err);
    const struct hd_script_input *which = NULL;
    if (!e)
        which = in->script_input ? hd_script_find(&file, in->script_input) : &file.input.at[0];
    int code = e ? hd_cli_fail(HD_EXIT_FAILED, "%s", err.text)
               : which ? hd_cli_scripted(own, &file, which, command, test_unless_found)
                       : hd_cli_fail(HD_EXIT_FAILED, "%s has no input '%s'", in->script,
                                     in->script_input);
    hd_script_release(&file);
    return code;
}

static void test(void *self, struct hd_suite *s, struct hd_suite_input *in,
                 const struct hd_suite_share *share)
{
    struct suite *a = self;
    struct hd_options own = *a->o;
    struct hd_scope scope = {0};
    int here = in->cwd ? open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    take_input(&own, in, share);
    own.keep_going |= own.is_races;
    own.brings_all = own.is_races && !(a->o->seconds > 0);
    own.tested = own.no_memory ? NULL : &a->tested;
    own.is_look = in->result.is_look = share->is_look;
    if (own.is_look) {
        own.runs = 0;
        own.coverage = "race";
    }
    if (in->code && !a->o->every_input && !share->is_look)
        in->left_out = hd_suite_scope_chosen(&scope, in->code, in);
    own.scope = &scope;
    if (!a->o->quiet)
        hd_cli_print("input %s: %zu pair%s of functions, %zu of them new; %u functions were tested "
                     "before", in->name, in->profile.pair.n, in->profile.pair.n == 1 ? "" : "s", in->news.n, in->left_out);
    if (in->cwd && (here < 0 || chdir(in->cwd))) {
        in->result.code = hd_cli_fail(HD_EXIT_FAILED, "cannot go to %s: %s", in->cwd,
                                      strerror(errno));
    } else if (hd_inherit_over(in->env)) {
        in->result.code = hd_cli_fail(HD_EXIT_FAILED, "out of memory");
    } else {
        in->result.is_tested = true;
        in->result.code = in->script ? test_scripted(&own, in, a->command)
                                     : test_unless_found(&own, a->command);
    }
    hd_inherit_over(NULL);
    hd_suite_scope_release(&scope);
    if (here >= 0 && fchdir(here))
        hd_cli_print("warning: cannot go back to where Heddle was started: %s", strerror(errno));
    if (here >= 0)
        close(here);
    s->is_interrupted |= in->result.was_interrupted;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static void put_list(struct hd_json *j, const char *name, const struct hd_race_list *l)
{
    hd_json_array(j, name);
    for (size_t i = 0; i < l->v.n; i++)
        hd_json_str(j, NULL, l->v.at[i]);
    hd_json_end(j);
}

static void put_input(struct hd_json *j, const struct hd_suite *s, const struct hd_suite_input *in)
{
    static const char *const word[] = {
        [HD_SUITE_UNSEEN] = "not run", [HD_SUITE_READY] = "ready", [HD_SUITE_SINGLE] = "one thread",
        [HD_SUITE_REFUSED] = "fails by itself", [HD_SUITE_ENDLESS] = "does not end",
        [HD_SUITE_BROKEN] = "cannot be run"};
    hd_json_object(j, NULL);
    hd_json_str(j, "name", in->name);
    hd_json_str(j, "state", word[in->profile.state]);
    hd_json_str(j, "why", in->profile.why);
    hd_json_bool(j, "differs", in->profile.differs);
    hd_json_bool(j, "profile_known", in->profile.was_known);
    hd_json_u64(j, "threads", in->profile.threads);
    hd_json_u64(j, "pairs", in->profile.pair.n);
    hd_json_u64(j, "new_pairs", in->news.n);
    hd_json_u64(j, "sites", in->profile.site.n);
    hd_json_u64(j, "new_sites", in->new_sites);
    hd_json_array(j, "function_pairs");
    for (size_t i = 0; i < in->profile.pair.n; i++) {
        hd_json_array(j, NULL);
        hd_json_str(j, NULL, hd_suite_name(in->code, in->profile.pair.at[i].a));
        hd_json_str(j, NULL, hd_suite_name(in->code, in->profile.pair.at[i].b));
        hd_json_end(j);
    }
    hd_json_end(j);
    hd_json_u64(j, "profile_events", in->profile.events);
    hd_json_f64(j, "profile_seconds", in->profile.seconds);
    hd_json_bool(j, "chosen", in->is_chosen);
    hd_json_f64(j, "weight", in->is_chosen ? in->weight : 0);
    hd_json_u64(j, "functions_left_out", in->left_out);
    hd_json_str(j, "shown_by", in->covered_by ? s->input.at[in->covered_by - 1].name : NULL);
    hd_json_bool(j, "tested", in->result.is_tested);
    hd_json_bool(j, "look", in->result.is_look);
    hd_json_u64(j, "exit", (u64)in->result.code);
    hd_json_u64(j, "runs", in->result.runs);
    hd_json_u64(j, "events", in->result.events);
    hd_json_f64(j, "seconds", in->result.seconds);
    hd_json_u64(j, "findings", in->result.findings);
    hd_json_u64(j, "race_runs", in->result.race_runs);
    put_list(j, "races", &in->result.races);
    put_list(j, "atomicity", &in->result.atomicity);
    hd_json_str(j, "title", in->result.title);
    hd_json_str(j, "error", in->result.why);
    hd_json_end(j);
}

static void put_json(FILE *to, const struct hd_suite *s, int code)
{
    struct hd_json j;
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "tool", "heddle");
    hd_json_str(&j, "version", HD_VERSION);
    hd_json_str(&j, "command", "suite");
    hd_json_str(&j, "suite", s->name);
    hd_json_u64(&j, "exit", (u64)code);
    hd_json_u64(&j, "pairs", s->pairs);
    hd_json_f64(&j, "profile_seconds", s->profile_seconds);
    hd_json_f64(&j, "test_seconds", s->test_seconds);
    hd_json_bool(&j, "interrupted", s->is_interrupted);
    hd_json_array(&j, "inputs");
    for (size_t i = 0; i < s->input.n; i++)
        put_input(&j, s, &s->input.at[i]);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_finish(&j);
}

static void put_sarif(FILE *to, const struct hd_suite *s, int code)
{
    struct hd_tested what = {.program = s->name, .seconds = s->test_seconds,
                             .skipped = code == HD_EXIT_INCONCLUSIVE ? "inconclusive" : NULL};
    HD_VEC(char *) all = {0};
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_suite_result *r = &s->input.at[i].result;
        what.runs += r->runs;
        for (size_t k = 0; k < r->sarif.n; k++)
            *hd_vec_add(&all) = r->sarif.at[k];
    }
    hd_sarif_results(to, all.at, (u32)all.n, &what);
    hd_vec_release(&all);
}

enum format { JSON, SARIF, JUNIT };

static int write_file(const char *name, const struct hd_suite *s, int code, enum format format)
{
    if (!name)
        return 0;
    FILE *to = strcmp(name, "-") ? fopen(name, "we") : stdout;
    if (!to)
        return hd_cli_fail(-1, "cannot write %s: %s", name, strerror(errno));
    if (format == JUNIT)
        hd_suite_junit(to, s);
    else if (format == SARIF)
        put_sarif(to, s, code);
    else
        put_json(to, s, code);
    bool is_bad = fflush(to) || ferror(to);
    if ((to != stdout && fclose(to)) || is_bad)
        return hd_cli_fail(-1, "cannot write %s: %s", name, strerror(errno ? errno : EIO));
    return 0;
}

/* Finding before failure before inconclusive; nothing that could be tested is inconclusive. */
static int conclude(const struct hd_suite *s, bool is_profile)
{
    int code = HD_EXIT_OK;
    u32 tested = 0;
    for (size_t i = 0; i < s->input.n; i++) {
        const struct hd_suite_input *in = &s->input.at[i];
        bool is_enough = in->result.is_look && in->result.code == HD_EXIT_INCONCLUSIVE; /* it was not chosen */
        int one = is_enough              ? HD_EXIT_OK
                  : in->result.is_tested ? in->result.code
                  : in->profile.state == HD_SUITE_BROKEN || in->profile.state == HD_SUITE_REFUSED ||
                          in->profile.state == HD_SUITE_UNSEEN ||
                          in->profile.state == HD_SUITE_ENDLESS || (in->is_chosen && !is_profile)
                      ? HD_EXIT_INCONCLUSIVE
                      : HD_EXIT_OK;
        tested += in->result.is_tested;
        code = one == HD_EXIT_FINDING || code == HD_EXIT_FINDING ? HD_EXIT_FINDING : HD_MAX(code, one);
    }
    return (tested || is_profile) && !s->is_interrupted ? code : HD_MAX(code, HD_EXIT_INCONCLUSIVE);
}

/* So that it means the same wherever an input is run. */
static char *absolute(const char *path)
{
    char *here = getcwd(NULL, 0), *out = NULL;
    if (*path == '/' || !here)
        out = strdup(path);
    else
        HD_ASSERT(asprintf(&out, "%s/%s", here, path) > 0);
    free(here);
    return out;
}

int hd_cli_suite(struct hd_options *o, struct hd_suite *s, const char *command)
{
    struct hd_options own = *o;
    struct suite a = {.o = &own, .command = command};
    struct hd_suite_opts so = {.jobs = HD_MAX(o->jobs, 1u), .timeout_ms = o->timeout_ms,
                               .exit_ok = o->exit_ok, .n_exit_ok = o->n_exit_ok,
                               .seconds = o->seconds, .runs = hd_options_is_given(o, "runs") ? o->runs : 0,
                               .test_all = o->every_input, .profile_only = o->profile,
                               .looks = o->is_races && !o->no_memory && hd_options_is_driven(o), .quiet = o->quiet,
                               .test = test,
                               .self = &a};
    int code = hd_output_check(o);
    if (code)
        return code;
    char *dir = own.dir ? absolute(own.dir) : NULL;
    own.dir = dir;
    so.dir = o->no_memory ? NULL : dir;
    hd_options_config(&own, &so.cfg);
    const struct hd_strategy *stay = hd_strategy_find("stay");
    so.cfg.strategy = hd_strategy_index(stay);
    so.cfg.strategy_param = 0;
    hd_suite_run(s, &so);
    if (!hd_output_owns_stdout(o))
        hd_suite_table(stdout, s);
    fflush(stdout);
    code = conclude(s, o->profile);
    int bad = write_file(o->json, s, code, JSON) | write_file(o->sarif, s, code, SARIF) |
              write_file(o->junit, s, code, JUNIT);
    hd_race_memory_release(&a.tested);
    free(dir);
    return bad && code == HD_EXIT_OK ? HD_EXIT_FAILED : code;
}
