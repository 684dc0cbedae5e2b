/* children.c: heddle test -- COMMAND, where the programs under test are started by the command:
 * what it starts is looked at and told, then each program worth it is a campaign of its own.
 * docs/children.md */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children/children.h"
#include "cli/cli.h"
#include "process/interrupt.h"
#include "process/stray.h"
#include "report/clean.h"

#define SLACK 10 /* times that a run may take of what the first one took */
#define LEAST_TIME 0.001 /* seconds of a campaign for which none are left: it says so */
#define MOST_LISTED 40 /* processes that are listed, */
#define MOST_OTHERS 8 /* ... and among those that are not instrumented */

/* ---- what was seen ------------------------------------------------------------------------ */

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* All that matter, and the first of the others. */
static void print_seen(const struct hd_children_seen *s)
{
    size_t listed = 0, left = 0;
    for (size_t i = 0; i < s->at.n; i++) {
        const struct hd_child_seen *c = &s->at.at[i];
        char times[32] = "";
        if (listed >= (c->is_instrumented || c->why ? MOST_LISTED : MOST_OTHERS)) {
            left++;
            continue;
        }
        listed++;
        if (c->times > 1)
            snprintf(times, sizeof times, ", %u times", c->times);
        fprintf(stderr, "heddle:   ");
        hd_clean_printf(stderr, "%.60s%s", c->args[0] ? c->args : c->exe,
                        c->is_forked ? " (forked)" : "");
        fprintf(stderr, ": %s%s%s%s\n",
                c->why               ? c->why
                : c->is_instrumented ? "instrumented"
                                     : "not instrumented",
                c->why ? ", so it runs freely" : "",
                c->has_threads         ? ", makes threads"
                : c->is_instrumented ? ", one thread"
                                       : "",
                times);
    }
    if (left)
        hd_cli_print("  ... and %zu more", left);
}

/* ---- which of them --------------------------------------------------------------------------- */

static bool is_named(const struct hd_child_program *p, const char *name)
{
    return !strcmp(base(p->exe), base(name)) &&
           (!strchr(name, '/') || !strcmp(p->exe, name) || name[0] != '/');
}

static bool is_asked_for(const struct hd_child_program *p, const struct hd_options *o)
{
    for (u32 i = 0; i < o->programs.n; i++)
        if (is_named(p, o->programs.at[i]))
            return true;
    return !o->programs.n;
}

/* One that made no threads in the first run only if it was asked for and no other has. */
static bool is_chosen(const struct hd_children_seen *s, size_t i, const struct hd_options *o)
{
    const struct hd_child_program *all = s->program.at;
    if (!is_asked_for(&all[i], o))
        return false;
    for (size_t k = 0; !all[i].threaded.n && k < s->program.n; k++)
        if (all[k].threaded.n && is_named(&all[k], all[i].exe))
            return false;
    return all[i].threaded.n || o->programs.n;
}

/* Commands that want a terminal say so before they start anything. */
static const char *terminal_hint(const char *words)
{
    bool is_wanted = strcasestr(words, "terminal") || strcasestr(words, "tty");
    return is_wanted ? ". It has no terminal here: give it one with heddle test -- script -qec "
                       "'COMMAND' /dev/null" : "";
}

static int none_chosen(const struct hd_children_seen *s, const struct hd_options *o,
                       const char *words, struct hd_error *err)
{
    const char *name = o->programs.n ? o->programs.at[0] : NULL;
    for (size_t i = 0; name && i < s->at.n; i++)
        if (!strcmp(base(s->at.at[i].exe), base(name)))
            return hd_error_set(err, HD_EXIT_INCONCLUSIVE,
                                "nothing was tested: %s, which the command starts, %s%s",
                                name,
                                s->at.at[i].why ? "cannot be controlled: it is "
                                                : "is not built with -fsanitize=thread",
                                s->at.at[i].why ? s->at.at[i].why : "");
    if (name)
        return hd_error_set(err, HD_EXIT_INCONCLUSIVE, "nothing was tested: %s did not start %s",
                            words, name);
    return hd_error_set(err, HD_EXIT_INCONCLUSIVE,
                        "nothing was tested: %s started no program that is built with "
                        "-fsanitize=thread and makes threads%s%s%s",
                        words, s->last_words[0] ? "; it said: " : "", s->last_words,
                        terminal_hint(s->last_words));
}

/* Says so, also in the files that were asked for. */
static int untested(const struct hd_children_seen *s, const struct hd_options *o, const char *words)
{
    struct hd_error err;
    struct hd_campaign c;
    memset(&c, 0, sizeof c);
    int code = none_chosen(s, o, words, &err);
    hd_cli_fail(code, "%s", err.text);
    struct hd_result result = {.command = o->is_races ? "races" : "test", .program = o->rest[0],
                               .argv = o->rest, .options = o, .campaign = &c, .exit_code = code,
                               .error = err.text};
    return hd_output_check(o) ? HD_EXIT_FAILED : hd_output(&result);
}

/* ---- which of them at the same time ---------------------------------------------------------- */

struct beside {
    HD_VEC(struct hd_process) v;
};

/* A process that forks those to be controlled must be free itself. */
static bool may_be_beside(const struct hd_child_program *p, const struct hd_child_program *meant)
{
    return !meant->is_forked || p->is_forked || strcmp(p->exe, meant->exe);
}

static void choose_beside(struct beside *b, const struct hd_children_seen *s,
                          const struct hd_child_program *meant, const struct hd_options *o)
{
    for (size_t i = 0; !o->one_process && o->programs.n != 1 && i < s->program.n; i++) {
        const struct hd_child_program *p = &s->program.at[i];
        for (size_t k = 0; is_asked_for(p, o) && may_be_beside(p, meant) && k < p->threaded.n; k++)
            *hd_vec_add(&b->v) = p->threaded.at[k];
    }
    if (b->v.n == 1 && b->v.at[0].program == meant->exe)
        b->v.n = 0; /* it is the only one */
}

static int test_program(struct hd_child_program *p, const struct hd_children_seen *s,
                        const struct hd_options *o, const char *command)
{
    struct hd_options own = *o;
    struct beside beside = {0};
    const struct hd_process first = {.program = p->exe, .is_forked = p->is_forked, .instance = 1};
    choose_beside(&beside, s, p, o);
    struct hd_children c = {
        .meant = p->threaded.n ? p->threaded.at : &first,
        .n_meant = p->threaded.n ? (u32)p->threaded.n : 1,
        .beside = beside.v.at, .n_beside = (u32)beside.v.n, .timeout_ms = o->timeout_ms,
        .exit_ok = o->exit_ok, .n_exit_ok = o->n_exit_ok};
    if (beside.v.n && !o->quiet)
        hd_cli_print("%zu processes are controlled in each run%s (--one-process: one at a time)",
                     HD_MIN(beside.v.n, (size_t)HD_CHILDREN_BESIDE + 1),
                     beside.v.n > HD_CHILDREN_BESIDE + 1 ? ", the rest runs freely" : "");
    if (!hd_options_is_given(o, "timeout"))
        c.timeout_ms = HD_MAX(c.timeout_ms, (u32)HD_MIN(SLACK * 1e3 * s->seconds, 1e9));
    own.timeout_ms = c.timeout_ms;
    own.children = &c;
    int code = hd_cli_test(&own, command);
    hd_vec_release(&beside.v);
    return code;
}

/* Finding, failure, inconclusive, nothing: the first of these that is among them. */
static int worse(int a, int b)
{
    return a == HD_EXIT_FINDING || b == HD_EXIT_FINDING ? HD_EXIT_FINDING : HD_MAX(a, b);
}

/* Of --time; 0 = it was not given. */
static double time_left(const struct hd_options *o, s64 began_ns)
{
    double passed = (double)(hd_monotonic_ns() - began_ns) / 1e9;
    return o->seconds > 0 ? HD_MAX(o->seconds - passed, LEAST_TIME) : 0;
}

static int test_all(struct hd_children_seen *s, const struct hd_options *o, const char *words,
                    const char *command, bool is_tested, s64 began_ns)
{
    u32 n = 0;
    int code = 0;
    for (size_t i = 0; i < s->program.n; i++)
        n += is_chosen(s, i, o);
    if (!n)
        return is_tested ? 0 : untested(s, o, words);
    struct hd_options part = *o;
    part.seconds = time_left(o, began_ns) / n;
    for (size_t i = 0; i < s->program.n; i++) {
        if (!is_chosen(s, i, o))
            continue;
        code = worse(code, test_program(&s->program.at[i], s, &part, command));
        if (hd_interrupt_count() || (code && !o->keep_going))
            break;
    }
    return code;
}

/* ---- a run to see --------------------------------------------------------------------------- */

static bool is_fine(const struct hd_options *o, int status)
{
    for (u32 i = 0; WIFEXITED(status) && i < o->n_exit_ok; i++)
        if (WEXITSTATUS(status) == o->exit_ok[i])
            return true;
    return !status;
}

/* A command that ends with the same status twice, without control, does so by itself. */
static void allow_status(struct hd_options *o, const struct hd_children_seen *s)
{
    if (!WIFEXITED(s->status) || o->n_exit_ok == HD_MAX_EXIT_OK)
        return;
    o->exit_ok[o->n_exit_ok++] = WEXITSTATUS(s->status);
    hd_cli_print("the command ends with status %d also if nothing is controlled, which is taken "
                 "as fine", WEXITSTATUS(s->status));
}

static int survey(struct hd_children_seen *s, struct hd_options *o, const char *words)
{
    struct hd_error err = {""};
    u32 timeout_ms = hd_options_is_given(o, "timeout") ? o->timeout_ms : 10 * 60 * 1000;
    if (!o->quiet)
        hd_cli_print("looking at what %s starts: one run in which nothing is controlled", words);
    hd_interrupt_catch();
    hd_stray_adopt();
    int e = hd_children_survey(s, o->rest, o->stdin_fd, timeout_ms, &err);
    hd_interrupt_release();
    if (e)
        return hd_cli_fail(e == -EINTR ? HD_EXIT_INCONCLUSIVE : HD_EXIT_FAILED, "%s", err.text);
    if (s->is_late)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE,
                           "nothing was tested: %s did not end within %g s (--timeout)", words,
                           timeout_ms / 1e3);
    if (!o->quiet)
        print_seen(s);
    return 0;
}

/* `is_tested`: the command itself was, and nothing was found. */
static int test_children(struct hd_options *o, const char *command, bool is_tested, s64 began_ns)
{
    struct hd_children_seen s, again;
    char *words = hd_cli_words(o->rest);
    int code = survey(&s, o, words);
    if (!code && !is_fine(o, s.status)) {
        code = survey(&again, o, words);
        if (!code && again.status == s.status)
            allow_status(o, &s);
        hd_children_seen_release(&again);
    }
    if (!code)
        code = test_all(&s, o, words, command, is_tested, began_ns);
    hd_children_seen_release(&s);
    free(words);
    return code;
}

int hd_cli_command_or_program(struct hd_options *o, const char *command)
{
    s64 began_ns = hd_monotonic_ns();
    bool is_command = o->programs.n || hd_target_is_script(o->rest[0]);
    o->stdin_fd = hd_cli_stdin(o->quiet); /* once, for all campaigns */
    int code = is_command ? HD_CLI_COMMAND : hd_cli_test(o, command);
    if (code == HD_CLI_COMMAND || (!code && o->is_command))
        code = test_children(o, command, !code, began_ns);
    if (o->stdin_fd >= 0)
        close(o->stdin_fd);
    return code;
}
