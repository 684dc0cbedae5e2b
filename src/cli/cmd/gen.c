/* gen.c: heddle gen: concurrent tests of an API that nobody wrote. docs/cmd/gen.md */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gen/gen.h"
#include "report/explain/model.h"

struct screen {
    const struct hd_options *o;
    bool is_tty, is_dirty;
    u32 n;
};

static void clear(struct screen *s)
{
    if (s->is_dirty)
        fprintf(stderr, "\r\033[K");
    s->is_dirty = false;
}

static void print_progress(void *self, const char *line)
{
    struct screen *s = self;
    clear(s);
    if (!s->o->quiet)
        hd_cli_print("%s", line);
}

static void progress(void *self, const char *line)
{
    struct screen *s = self;
    if (!s->is_tty || s->o->quiet)
        return;
    fprintf(stderr, "\r\033[K%s", line);
    fflush(stderr);
    s->is_dirty = true;
}

static void show(void *self, const struct hd_finding *f, struct hd_symbols *symbols)
{
    struct screen *s = self;
    clear(s);
    if (hd_output_owns_stdout(s->o))
        return;
    struct hd_text_opts how = hd_cli_text_opts(stdout);
    if (s->n++)
        putchar('\n');
    hd_report_text(stdout, f, symbols, &how);
    fflush(stdout);
}

static void print_line(const char *text) { hd_cli_print("%s", text); }

static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n > m && !strcmp(text + n - m, with);
}

static bool is_cxx(const struct hd_options *o)
{
    static const char *const suffix[] = {".hpp", ".hh", ".hxx", ".cc", ".cpp", ".cxx"};
    for (u32 i = 0; i < HD_COUNT(suffix); i++) {
        if (o->gen_header && ends(o->gen_header, suffix[i]))
            return true;
        for (int k = 0; k < o->n_rest; k++)
            if (ends(o->rest[k], suffix[i]))
                return true;
    }
    return o->gen_class != NULL;
}

static int contract_of(const char *text, enum hd_gen_contract *out)
{
    static const char *const name[] = {NULL, "thread-safe", "lock", "object-per-thread"};
    for (u32 i = 1; text && i < HD_COUNT(name); i++)
        if (!strcmp(text, name[i])) {
            *out = (enum hd_gen_contract)i;
            return 0;
        }
    return text ? hd_cli_fail(HD_EXIT_USAGE,
                              "--contract is one of thread-safe, lock, object-per-thread; not '%s'",
                              text)
                : 0;
}

static int pick_of(const char *text, enum hd_gen_pick *out)
{
    static const char *const name[] = {"map", "covcon", "random", "map-random"};
    for (u32 i = 0; text && i < HD_COUNT(name); i++)
        if (!strcmp(text, name[i])) {
            *out = (enum hd_gen_pick)i;
            return 0;
        }
    return text ? hd_cli_fail(HD_EXIT_USAGE,
                              "--pick is one of map, covcon, random, map-random; not '%s'", text)
                : 0;
}

/* Functions cannot be named: a finding is a program of its own, with them in other places. */
static int leave_out_locks(const struct hd_options *o)
{
    struct hd_target none = {.path = ""};
    if (o->without_locks && strcmp(o->without_locks, "all"))
        return hd_cli_fail(HD_EXIT_USAGE, "gen knows --without-locks all; not '%s'",
                           o->without_locks);
    return hd_cli_without_locks(o, &none);
}

/* What the header and the spec say. 0 or an exit code. */
static int read_api(struct hd_api *a, const struct hd_options *o)
{
    struct hd_error err = {""};
    struct hd_gen_read how = {.header = o->gen_header,
                              .prefix = o->gen_prefix,
                              .only_class = o->gen_class,
                              .flags = o->rest,
                              .is_cxx = is_cxx(o)};
    int e = o->gen_header ? hd_gen_read(a, &how, &err) : 0;
    if (!e)
        hd_gen_guess(a);
    if (!e && o->gen_spec)
        e = hd_gen_spec_read(a, o->gen_spec, &err);
    if (!e && o->gen_write) {
        e = hd_gen_spec_write(a, o->gen_write, &err);
        return e ? hd_cli_fail(HD_EXIT_FAILED, "%s", err.text) : 0;
    }
    if (!e)
        e = hd_gen_check(a, &err);
    if (!o->quiet && a->func.n)
        hd_gen_show(a, print_line);
    return e ? hd_cli_fail(e == -ENOENT ? HD_EXIT_INCONCLUSIVE : HD_EXIT_FAILED, "%s", err.text)
             : 0;
}

static void print_summary(const struct hd_gen_result *r)
{
    double rate = r->seconds > 0 ? (double)(r->runs + r->order_runs) / r->seconds : 0;
    hd_cli_print("%s%llu tests, %llu runs with threads and %llu of one order in %.1f s (%.0f/s): "
                 "%u finding%s",
                 r->is_interrupted ? "interrupted after " : "", (unsigned long long)r->tests,
                 (unsigned long long)r->runs, (unsigned long long)r->order_runs, r->seconds, rate,
                 r->n_findings, r->n_findings == 1 ? "" : "s");
    if (r->possible)
        hd_cli_print(
            "memory-access patterns: %llu covered of %llu over the sites seen (an upper bound)",
            (unsigned long long)r->covered, (unsigned long long)r->possible);
    if (r->n_findings)
        hd_cli_print("the first failure after %.1f s and %llu runs with threads", r->found_seconds,
                     (unsigned long long)r->found_runs);
}

static void write_curve(struct hd_json *j, const struct hd_gen_result *r)
{
    hd_json_u64(j, "causes", r->n_causes);
    hd_json_array(j, "by_pattern");
    for (u32 i = 0; i <= HD_MAP_PATTERNS; i++)
        hd_json_u64(j, NULL, r->by_pattern[i]);
    hd_json_end(j);
    hd_json_array(j, "curve");
    for (u32 i = 0; i < r->n_curve; i++) {
        hd_json_object(j, NULL);
        hd_json_u64(j, "runs", r->curve[i].runs);
        hd_json_u64(j, "tests", r->curve[i].tests);
        hd_json_u64(j, "patterns", r->curve[i].patterns);
        hd_json_u64(j, "pairs", r->curve[i].pairs);
        hd_json_u64(j, "causes", r->curve[i].causes);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static void write_json(const struct hd_options *o, const struct hd_gen_result *r)
{
    struct hd_json j;
    if (!o->json)
        return;
    FILE *to = strcmp(o->json, "-") ? fopen(o->json, "w") : stdout;
    if (!to) {
        hd_cli_print("warning: cannot write %s: %s", o->json, strerror(errno));
        return;
    }
    hd_json_begin(&j, to);
    hd_json_object(&j, NULL);
    hd_json_str(&j, "command", "gen");
    hd_json_u64(&j, "findings", r->n_findings);
    hd_json_u64(&j, "unconfirmed", r->n_unconfirmed);
    hd_json_bool(&j, "interrupted", r->is_interrupted);
    hd_json_u64(&j, "tests", r->tests);
    hd_json_u64(&j, "runs", r->runs);
    hd_json_u64(&j, "order_runs", r->order_runs);
    hd_json_f64(&j, "seconds", r->seconds);
    hd_json_f64(&j, "found_seconds", r->found_seconds);
    hd_json_u64(&j, "found_runs", r->found_runs);
    hd_json_u64(&j, "patterns_covered", r->covered);
    hd_json_u64(&j, "patterns_possible", r->possible);
    hd_json_u64(&j, "pairs_covered", r->pairs_covered);
    if (o->gen_no_confirm)
        write_curve(&j, r);
    hd_json_end(&j);
    hd_json_finish(&j);
    if (to != stdout)
        fclose(to);
}

static int generate(struct hd_api *a, struct hd_options *o, const char *command)
{
    struct screen screen = {.o = o, .is_tty = isatty(2)};
    struct hd_gen_opts how = {.dir = o->dir,
                              .flags = o->rest,
                              .seconds = o->seconds,
                              .runs = o->runs,
                              .keep_going = o->keep_going,
                              .no_race = o->no_race,
                              .quiet = o->quiet,
                              .minimize_seconds = o->minimize_seconds,
                              .command = command,
                              .print_line = print_progress,
                              .progress = progress,
                              .on_finding = show,
                              .self = &screen};
    struct hd_gen_result r;
    struct hd_error err = {""};
    how.no_confirm = o->gen_no_confirm;
    int code = contract_of(o->gen_contract, &a->contract);
    if (!code)
        code = pick_of(o->gen_pick, &how.pick);
    if (!code)
        code = leave_out_locks(o);
    if (code)
        return code;
    hd_options_config(o, &how.cfg);
    how.cfg.early_per_1024 = 0; /* a timeout that overtakes a call would be a result of its own */
    how.cfg.max_delay_ns = 0;
    if (!o->quiet)
        hd_cli_print("testing with seed %llu", (unsigned long long)o->seed);
    int e = hd_gen_campaign(a, &how, &r, &err);
    clear(&screen);
    if (!o->quiet && r.runs + r.order_runs)
        print_summary(&r);
    write_json(o, &r);
    if (e && !r.n_findings)
        return hd_cli_fail(e == -ENOENT ? HD_EXIT_INCONCLUSIVE : HD_EXIT_FAILED, "%s", err.text);
    if (r.n_findings)
        return HD_EXIT_FINDING;
    if (!r.runs)
        return hd_cli_fail(HD_EXIT_INCONCLUSIVE, "nothing was tested: no run had two threads");
    return r.is_interrupted ? HD_EXIT_INCONCLUSIVE : HD_EXIT_OK;
}

int hd_cmd_gen(char **argv)
{
    struct hd_options o;
    struct hd_api a;
    int code;
    if (!hd_cli_options(&o, "gen", HD_FOR_gen, argv, &code))
        return code;
    if (!o.gen_header && !o.gen_spec) {
        hd_options_release(&o);
        return hd_cli_fail(HD_EXIT_USAGE,
                           "gen wants --header FILE (or --spec FILE), then -- and the files and "
                           "libraries that implement it: heddle gen --header q.h -- q.c");
    }
    char *command = hd_cli_command("gen", argv);
    hd_api_init(&a);
    code = read_api(&a, &o);
    if (!code && !o.gen_write)
        code = generate(&a, &o, command);
    hd_api_release(&a);
    free(command);
    hd_options_release(&o);
    return code;
}
