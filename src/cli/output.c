/* output.c: results of a command for other programs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "plan/search_run.h"
#include "plan/tsa_run.h"
#include "campaign/limit.h"
#include "cli/cli.h"
#include "report/outcome.h"

static bool is_stdout(const char *name) { return name && !strcmp(name, "-"); }

bool hd_output_owns_stdout(const struct hd_options *o)
{
    return is_stdout(o->json) || is_stdout(o->sarif) || is_stdout(o->junit) || is_stdout(o->trace);
}

int hd_output_check(const struct hd_options *o)
{
    const char *name[] = {o->json, o->sarif, o->junit, o->trace};
    u32 on_stdout = 0;
    for (u32 i = 0; i < HD_COUNT(name); i++) {
        on_stdout += is_stdout(name[i]);
        if (!name[i] || is_stdout(name[i]))
            continue;
        int fd = open(name[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", name[i], strerror(errno));
        close(fd);
    }
    if (o->format && strcmp(o->format, "text") && strcmp(o->format, "tsan"))
        return hd_cli_fail(HD_EXIT_USAGE, "--format is text or tsan, not '%s'", o->format);
    if (on_stdout > 1)
        return hd_cli_fail(HD_EXIT_USAGE, "only one of --json, --sarif, --junit and --trace can go "
                           "to '-'");
    return 0;
}

static void put_search(struct hd_json *j, const struct hd_search_outcome *c)
{
    char line[512];
    if (!c)
        return;
    const struct hd_search_result *s = &c->is;
    hd_json_object(j, "search");
    hd_json_str(j, "method", c->method->name);
    hd_json_bool(j, "over", s->is_over);
    hd_json_bool(j, "complete", hd_search_outcome_is_complete(c));
    hd_json_u64(j, "explored", s->explored);
    hd_json_u64(j, "cut", s->cut);
    hd_json_u64(j, "learning_runs", c->warm);
    hd_json_u64(j, "restarts", c->restarts);
    hd_json_u64(j, "guided_runs", s->guided);
    hd_json_u64(j, "limits", s->limits);
    hd_json_array(j, "text");
    for (u32 i = 0; hd_search_outcome_text(c, i, line, sizeof line); i++)
        hd_json_str(j, NULL, line);
    hd_json_end(j);
    hd_json_end(j);
}

static void put_tsa(struct hd_json *j, const struct hd_director *d)
{
    u64 by_rule[HD_STRATEGY_RULES];
    if (!hd_tsa_by_rule(d, by_rule))
        return;
    hd_json_object(j, "tsa");
    hd_json_array(j, "by_rule");
    for (u32 i = 0; i < HD_STRATEGY_RULES; i++)
        hd_json_u64(j, NULL, by_rule[i]);
    hd_json_end(j);
    hd_json_end(j);
}

/* What a campaign without a finding says; empty if it has one or is inconclusive. */
static void put_words(struct hd_json *j, const struct hd_result *r)
{
    char line[1024];
    hd_json_array(j, "summary");
    for (u32 i = 0; r->outcome && hd_outcome_line(r->outcome, i, line, sizeof line); i++)
        hd_json_str(j, NULL, line);
    hd_json_end(j);
}

/* Findings of one campaign may be of several programs that a command starts. */
static void put_finding(struct hd_json *j, const struct hd_campaign *c, const struct hd_finding *f)
{
    bool is_other = c->symbols_of[0] && strcmp(c->symbols_of, f->program);
    struct hd_symbols *s = is_other ? hd_symbols_open(f->modules, f->n_modules) : c->symbols;
    hd_report_json(j, NULL, f, s);
    if (is_other)
        hd_symbols_close(s);
}

static void put_json(FILE *to, const struct hd_result *r)
{
    const struct hd_campaign *c = r->campaign;
    const struct hd_options *o = r->options;
    struct hd_json j;
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "tool", "heddle");
    hd_json_str(&j, "version", HD_VERSION);
    hd_json_str(&j, "command", r->command);
    hd_json_str(&j, "program", r->program);
    hd_json_array(&j, "arguments");
    for (char *const *a = r->argv; a && *a; a++)
        hd_json_str(&j, NULL, *a);
    hd_json_end(&j);
    hd_json_u64(&j, "exit", (u64)r->exit_code);
    hd_json_str(&j, "error", r->error);
    hd_json_str(&j, "strategy", hd_options_strategy(o));
    hd_json_u64(&j, "strategy_param", o->strategy_param);
    hd_json_u64(&j, "seed", o->seed);
    hd_json_u64(&j, "runs", c->runs);
    if (c->race_runs)
        hd_json_u64(&j, "race_runs", c->race_runs);
    if (c->races_before)
        hd_json_u64(&j, "races_tried_before", c->races_before);
    hd_json_f64(&j, "seconds", c->seconds);
    hd_json_u64(&j, "threads", c->max_threads);
    hd_json_u64(&j, "steps", c->steps);
    hd_json_u64(&j, "points", c->points);
    hd_json_u64(&j, "switches", c->switches);
    hd_json_u64(&j, "peak_rss_kib", c->peak_rss_kib);
    hd_json_bool(&j, "instrumented", c->is_instrumented);
    hd_json_bool(&j, "interrupted", c->interrupted);
    hd_json_bool(&j, "inconclusive", r->exit_code == HD_EXIT_INCONCLUSIVE);
    hd_json_object(&j, "limits"); /* runs that met each */
    for (u32 i = HD_RUN_LIMIT_NONE + 1; i < HD_RUN_LIMIT_COUNT; i++)
        hd_json_u64(&j, hd_limit_word(i), c->limited[i]);
    hd_json_end(&j);
    hd_json_u64(&j, "uncontrolled", c->uncontrolled);
    hd_json_str(&j, "uncontrolled_call", c->uncontrolled_call[0] ? c->uncontrolled_call : NULL);
    hd_json_u64(&j, "suppressed", c->suppressed);
    hd_json_array(&j, "suppressions");
    for (size_t i = 0; r->suppress && i < r->suppress->v.n; i++) {
        char text[512];
        hd_suppress_text(&r->suppress->v.at[i], text, sizeof text);
        hd_json_object(&j, NULL);
        hd_json_str(&j, "text", text);
        hd_json_u64(&j, "line", r->suppress->v.at[i].line);
        hd_json_u64(&j, "used", r->suppress->v.at[i].used);
        hd_json_end(&j);
    }
    hd_json_end(&j);
    put_words(&j, r);
    hd_json_array(&j, "notes");
    for (u32 i = 0; i < c->n_notes; i++)
        hd_json_str(&j, NULL, c->notes[i]);
    hd_json_end(&j);
    hd_cli_cover_json(&j, r->cover);
    hd_cli_drive_json(&j, hd_drive_of(r->director));
    put_search(&j, hd_search_outcome(r->director));
    put_tsa(&j, r->director);
    hd_json_object(&j, "times"); /* how often each was met */
    for (u32 i = 0; c->times && i < c->n_findings; i++)
        hd_json_u64(&j, c->findings[i].id, c->times[i]);
    hd_json_end(&j);
    hd_json_array(&j, "findings");
    for (u32 i = 0; i < c->n_findings; i++)
        put_finding(&j, c, &c->findings[i]);
    hd_json_end(&j);
    hd_json_array(&j, "remarks"); /* what needs longer delays than --max-delay */
    for (u32 i = 0; i < c->n_remarks; i++)
        put_finding(&j, c, &c->remarks[i]);
    hd_json_end(&j);
    hd_json_end(&j);
    hd_json_finish(&j);
}

static void put_suite(FILE *to, const struct hd_result *r,
                      void (*put)(FILE *, const struct hd_finding *, u32, const struct hd_tested *))
{
    const struct hd_campaign *c = r->campaign;
    struct hd_tested what = {.program = r->program, .runs = c->runs, .seconds = c->seconds,
                             .skipped = r->exit_code == HD_EXIT_INCONCLUSIVE
                                            ? r->error ? r->error : "inconclusive" : NULL};
    put(to, c->findings, c->n_findings, &what);
}

static int write_one(const char *name, const struct hd_result *r, int format)
{
    if (!name)
        return 0;
    FILE *to = is_stdout(name) ? stdout : fopen(name, "we");
    if (!to)
        return hd_cli_fail(-1, "cannot write %s: %s", name, strerror(errno));
    if (format == 0)
        put_json(to, r);
    else
        put_suite(to, r, format == 1 ? hd_report_sarif : hd_report_junit);
    errno = 0;
    bool is_bad = fflush(to) || ferror(to);
    if ((to != stdout && fclose(to)) || is_bad)
        return hd_cli_fail(-1, "cannot write %s: %s", name, strerror(errno ? errno : EIO));
    return 0;
}

int hd_output(const struct hd_result *r)
{
    const struct hd_options *o = r->options;
    int bad = write_one(o->json, r, 0);
    bad |= write_one(o->sarif, r, 1);
    bad |= write_one(o->junit, r, 2);
    return bad && r->exit_code == HD_EXIT_OK ? HD_EXIT_FAILED : r->exit_code;
}
