/* coverage.c: coverage of a campaign on the command line: what to observe, what to
 * say about it, and how an element is shown. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/clean.h"
#include "version/revision.h"

/* ---- --since ------------------------------------------------------------------------------ */

struct since {
    struct hd_store *st;
    const char *path;     /* of the program */
    const char *rev;      /* commit that the user named */
    s64 found;            /* build; 0 = none */
    s64 at;               /* when it was first tested */
    char revision[HD_REVISION];
    char where[PATH_MAX]; /* its file, if that is in another folder than the program */
};

static int take_build(void *self, const struct hd_store_build *b)
{
    struct since *s = self;
    if ((s->found && b->first_at < s->at) || !hd_revision_is_before(s->path, b->revision, s->rev))
        return 0;
    s->found = b->id;
    s->at = b->first_at;
    snprintf(s->revision, sizeof s->revision, "%s", b->revision);
    return 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* One that was built in another folder: of the same name. */
static int take_program(void *self, s64 id, const char *path, s64 at)
{
    struct since *s = self;
    s64 before = s->found;
    (void)at;
    int e = strcmp(last_name(path), last_name(s->path)) ? 0 : hd_store_builds(s->st, id, take_build, s);
    if (s->found != before)
        snprintf(s->where, sizeof s->where, "%s", path);
    return e;
}

/* The newest build of the program whose commit REV has; -1 and why not. */
static s64 parent_since(const struct hd_options *o, const struct hd_target *target)
{
    char rev[HD_REVISION];
    struct since s = {.path = target->path, .rev = rev};
    s64 program;
    if (!hd_revision_find(target->path, o->since, rev)) {
        hd_cli_print("--since %s: git knows no such revision here: all of the program is tested",
                     o->since);
        return -1;
    }
    if (!hd_store_open(&s.st, o->dir, HD_STORE_READ, 0, NULL)) {
        if ((program = hd_store_program(s.st, target->path)) > 0)
            hd_store_builds(s.st, program, take_build, &s);
        if (!s.found)
            hd_store_programs(s.st, take_program, &s);
        hd_store_close(s.st, NULL);
    }
    if (s.found && s.where[0] && !o->quiet)
        hd_cli_print("--since %s: takes over from %s of commit %.12s", o->since, s.where, s.revision);
    if (!s.found)
        hd_cli_print("--since %s: no build from that commit, or from one before it, was tested with this store: "
                     "all of the program is tested", o->since);
    return s.found ? s.found : -1;
}

static void print_inherited(const struct hd_cover_inherited *in)
{
    if (in->has_no_symbols)
        hd_cli_print("the program has no symbols, so nothing that was tested in other builds of it is taken over");
    if (!in->from)
        return;
    hd_cli_print("a new build: %u of %u functions are as they were; of what was tested before "
                 "%llu hold, %llu are to be tested again", in->same, in->functions,
                 (unsigned long long)in->kept, (unsigned long long)in->left);
    if (in->same < in->functions - in->same)
        hd_cli_print("most functions are other code, as after a change of the compiler or of its options");
    if (in->has_no_lines)
        hd_cli_print("it has no debug information: functions were compared by their symbols and code alone");
}

struct hd_cover *hd_cli_cover_open(const struct hd_options *o, const struct hd_target *target,
                                   char *const *argv, int stdin_fd, u32 jobs)
{
    struct hd_cover_opts how = {.dir = o->dir, .target = target, .argv = argv,
                                .stdin_fd = stdin_fd, .strategy = hd_options_strategy(o),
                                .seed = o->seed, .jobs = jobs, .window = o->window,
                                /* a seed says everything about a campaign */
                                .use_learned = (o->is_look || !hd_options_is_given(o, "seed")) && !o->no_memory,
                                .no_memory = o->no_memory};
    struct hd_error err;
    if (hd_cover_choose(&how.what, o->coverage, &err) || !how.what.metrics)
        return NULL;
    how.parent = o->since && o->dir ? parent_since(o, target) : 0;
    if (hd_options_is_driven(o) && !o->is_look) /* goes by it */
        how.what.metrics |= (u64)1 << HD_METRIC_iroot;
    struct hd_cover *c = hd_cover_open(&how);
    if (hd_cover_error(c))
        hd_cli_print("warning: nothing will be remembered: %s", hd_cover_error(c));
    const struct hd_cover_inherited *in = &c->inherited;
    for (size_t i = 0; i < in->libraries.v.n && !o->quiet; i++)
        hd_cli_print("%s is another build than the one that was tested with", in->libraries.v.at[i].path);
    if (!o->quiet)
        print_inherited(in);
    return c;
}

/* ---- what to say -------------------------------------------------------------------------- */

static const char *name_of(const struct hd_covered *r, u32 metric)
{
    return metric == HD_METRIC_iroot && r->only_pairs ? "iroot1" : hd_metric_name(metric);
}

void hd_cli_cover_print(const struct hd_cover *c, const struct hd_options *o)
{
    struct hd_covered r;
    char line[1024];
    size_t n = 0;
    if (!c)
        return;
    hd_cover_result(c, &r);
    for (u32 m = 0; m < HD_METRIC_COUNT && n < sizeof line; m++) {
        if (!(r.metrics >> m & 1))
            continue;
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s %llu", n ? ", " : "", name_of(&r, m),
                              (unsigned long long)r.covered[m]);
        if (r.is_new[m] && n < sizeof line)
            n += (size_t)snprintf(line + n, sizeof line - n, " (%llu new)",
                                  (unsigned long long)r.is_new[m]);
    }
    bool is_reported = !o->quiet && (o->verbose || hd_options_is_given(o, "coverage"));
    if (is_reported && r.runs)
        hd_cli_print("covered: %s", line);
    if (is_reported && r.sampled)
        hd_cli_print("of %llu long run%s %.3g %% of the events were observed, the others were like "
                     "those before them; --coverage iroot1 or all observes everything",
                     (unsigned long long)r.sampled, r.sampled == 1 ? "" : "s",
                     100 * (double)r.sampled_events / (double)(r.sampled_events + r.left_out));
    if (hd_cover_error(c) && c->campaign > 0) /* it began well */
        hd_cli_print("warning: what was covered could not be remembered: %s", hd_cover_error(c));
}

static void json_element(void *self, const struct hd_listed *e) { hd_listed_json(self, e); }

void hd_cli_cover_json(struct hd_json *j, const struct hd_cover *c)
{
    struct hd_covered r;
    if (!c) {
        hd_json_str(j, "coverage", NULL);
        return;
    }
    hd_cover_result(c, &r);
    hd_json_object(j, "coverage");
    hd_json_u64(j, "runs", r.runs);
    hd_json_u64(j, "cut", r.cut);
    hd_json_u64(j, "events", r.events);
    hd_json_u64(j, "sampled", r.sampled);
    hd_json_u64(j, "left_out", r.left_out);
    hd_json_f64(j, "observe_seconds", r.observe_seconds);
    hd_json_f64(j, "store_seconds", r.store_seconds);
    hd_json_f64(j, "name_seconds", r.name_seconds);
    hd_json_u64(j, "bytes", r.bytes);
    hd_json_str(j, "store_error", hd_cover_error(c));
    hd_json_array(j, "metrics");
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        if (!(r.metrics >> m & 1))
            continue;
        hd_json_object(j, NULL);
        hd_json_str(j, "name", name_of(&r, m));
        hd_json_u64(j, "covered", r.covered[m]);
        hd_json_u64(j, "new", r.is_new[m]);
        if (r.possible[m])
            hd_json_u64(j, "possible", r.possible[m]);
        else
            hd_json_str(j, "possible", NULL);
        hd_json_bool(j, "saturated", r.saturation[m].is_saturated);
        hd_json_f64(j, "slope", r.saturation[m].slope);
        hd_json_f64(j, "r2", r.saturation[m].r2);
        hd_json_end(j);
    }
    hd_json_end(j);
    if (!c->o.dir) { /* nobody else will tell them */
        hd_json_array(j, "elements");
        hd_cli_cover_each(c, json_element, j);
        hd_json_end(j);
    }
    hd_json_end(j);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* What stands before each site, by metric and sub. */
static const char *const before_iroot[][HD_ELEMENT_SITES] = {
    {"", " => "}, {"", " => "}, {"", " => ", " => "}, {"", " => ", ", ", " => "},
    {"", " => ", ", ", " => "}, {"", " => ", ", ", " => "}, {"", " => ", ", ", " => "}};
static const char *const before_map[][HD_ELEMENT_SITES] = { /* threads a, b; variables x, y */
    {"", ", ", ", ", ", "},
    {"aR ", ", bW "}, {"aW ", ", bR "}, {"aW ", ", bW "},
    {"aR ", ", bW ", ", aR "}, {"aW ", ", bW ", ", aR "}, {"aW ", ", bR ", ", aW "},
    {"aR ", ", bW ", ", aW "}, {"aW ", ", bW ", ", aW "},
    {"aWx ", ", bWx ", ", bWy ", ", aWy "}, {"aWx ", ", bWy ", ", bWx ", ", aWy "},
    {"aWx ", ", bWy ", ", aWy ", ", bWx "}, {"aWx ", ", bRx ", ", bRy ", ", aWy "},
    {"aWx ", ", bRy ", ", bRx ", ", aWy "}, {"aRx ", ", bWx ", ", bWy ", ", aRy "},
    {"aRx ", ", bWy ", ", bWx ", ", aRy "}, {"aRx ", ", bWy ", ", aRy ", ", bWx "},
    {"aWx ", ", bRy ", ", aWy ", ", bRx "}};

static const char *before(const struct hd_listed *e, u32 i)
{
    const char *text = NULL;
    switch (e->metric) {
    case HD_METRIC_iroot:
        text = e->sub < HD_COUNT(before_iroot) ? before_iroot[e->sub][i] : NULL;
        break;
    case HD_METRIC_map:
        text = e->sub < HD_COUNT(before_map) ? before_map[e->sub][i] : NULL;
        break;
    case HD_METRIC_syncpair: text = i ? " then " : ""; break;
    case HD_METRIC_race: case HD_METRIC_cfp: text = i ? " with " : ""; break;
    default: break;
    }
    return text ? text : i ? " => " : "";
}

static bool is_first(const struct hd_listed *e, u32 i)
{
    for (u32 k = 0; k < i; k++)
        if (!strcmp(e->site[k].object, e->site[i].object))
            return false;
    return *e->site[i].object;
}

void hd_listed_print(FILE *to, const struct hd_listed *e)
{
    u32 objects = 0;
    for (u32 i = 0; i < e->n; i++) {
        const struct hd_listed_site *s = &e->site[i];
        fputs(before(e, i), to);
        if (e->metric == HD_METRIC_cfp && *s->function)
            hd_clean_put(to, s->function);
        else if (*s->file && s->line)
            hd_clean_printf(to, "%s %s:%u", s->function, s->file, s->line);
        else
            hd_clean_put(to, *s->text ? s->text : "?");
    }
    for (u32 i = 0; e->metric != HD_METRIC_cfp && i < e->n; i++)
        if (is_first(e, i))
            hd_clean_printf(to, "%s%s", objects++ ? ", " : " (", e->site[i].object);
    fputs(objects ? ")\n" : "\n", to);
}

void hd_listed_json(struct hd_json *j, const struct hd_listed *e)
{
    hd_json_object(j, NULL);
    hd_json_str(j, "metric", hd_metric_name(e->metric));
    hd_json_u64(j, "sub", e->sub);
    hd_json_array(j, "sites");
    for (u32 i = 0; i < e->n; i++) {
        const struct hd_listed_site *s = &e->site[i];
        hd_json_object(j, NULL);
        hd_json_str(j, "site", s->text);
        hd_json_str(j, "function", *s->function ? s->function : NULL);
        hd_json_str(j, "file", *s->file ? s->file : NULL);
        hd_json_u64(j, "line", s->line);
        hd_json_u64(j, "ordinal", s->ordinal);
        hd_json_str(j, "object", *s->object ? s->object : NULL);
        hd_json_end(j);
    }
    hd_json_end(j);
    hd_json_u64(j, "runs", e->runs);
    hd_json_u64(j, "inputs", e->inputs);
    hd_json_u64(j, "first_run", e->first);
    hd_json_end(j);
}
