/* coverage.c: heddle coverage: what was tested so far, from the store.
 * docs/cmd/coverage.md
 *
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/remembered.h"
#include "report/clean.h"

struct view {
    struct hd_remembered is;
    u32 metric, sub;                            /* asked for; HD_METRIC_COUNT = all */
    u64 covered[HD_METRIC_COUNT][HD_ELEMENT_SUBS], is_new[HD_METRIC_COUNT][HD_ELEMENT_SUBS];
    u64 possible[HD_METRIC_COUNT];
    u64 is_estimated;                           /* metrics with candidates, exposed or not */
    u64 abandoned;                              /* candidates that count as impossible */
    u64 map_all, map_infeasible;                /* T_C; instances that no schedule can show */
    struct hd_json *json;                       /* while listing; NULL = text */
    u64 listed;
};

/* ---- counts -------------------------------------------------------------------------------- */

static bool is_asked(const struct view *v, u32 metric, u32 sub)
{
    return (v->metric == HD_METRIC_COUNT || v->metric == metric) && (!v->sub || v->sub == sub);
}

static int count_element(void *self, const struct hd_store_seen *s)
{
    struct view *v = self;
    u32 m = hd_metric_find(s->what.metric, strlen(s->what.metric));
    if (m >= HD_METRIC_COUNT || s->what.sub >= HD_ELEMENT_SUBS)
        return 0;
    v->covered[m][s->what.sub]++;
    v->is_new[m][s->what.sub] += s->campaign == v->is.last;
    return 0;
}

/* What predictors said, and what the metric itself can tell from its elements. A
 * pair of lock calls that failed is out of the estimate (plan/tsa_run.c), and so is an
 * infeasible memory-access pattern (plan/map/map.c). */
static int count_candidate(void *self, const struct hd_store_count *c)
{
    struct view *v = self;
    u32 m = hd_metric_find(c->metric, strlen(c->metric));
    if (m < HD_METRIC_COUNT && (c->predicted || c->failed || v->is_estimated >> m & 1))
        v->possible[m] += c->predicted + c->covered + (m == HD_METRIC_syncpair || m == HD_METRIC_map ? 0 : c->failed);
    if (m == HD_METRIC_map)
        v->map_infeasible += c->failed;
    return 0;
}

static int see_candidate(void *self, const struct hd_store_candidate *c)
{
    struct view *v = self;
    u32 m = hd_metric_find(c->what.metric, strlen(c->what.metric));
    if (m < HD_METRIC_COUNT)
        v->is_estimated |= (u64)1 << m;
    return 0;
}

static int count(struct view *v)
{
    struct hd_coverage map;
    hd_coverage_init(&map, &(struct hd_observe_config){.metrics = (u64)1 << HD_METRIC_map});
    int e = hd_store_elements(v->is.st, v->is.build.id, NULL, 0, count_element, v);
    if (!e)
        e = hd_store_candidates(v->is.st, v->is.build.id, 0, see_candidate, v);
    if (!e)
        e = hd_store_counts(v->is.st, v->is.build.id, count_candidate, v);
    if (!e)
        e = hd_cover_load(v->is.st, &v->is.places, v->is.build.id, (u64)1 << HD_METRIC_map, &map);
    v->map_all = hd_coverage_possible(&map, HD_METRIC_map);
    if (!v->possible[HD_METRIC_map])
        v->possible[HD_METRIC_map] = v->map_all;
    hd_coverage_release(&map);
    return e ? hd_remembered_failed(&v->is) : 0;
}

static u64 sum(const u64 *by_sub)
{
    u64 n = 0;
    for (u32 i = 0; i < HD_ELEMENT_SUBS; i++)
        n += by_sub[i];
    return n;
}

static void print_row(const char *name, u64 covered, u64 possible, u64 is_new, const char *doc)
{
    char of[24] = "-";
    if (possible)
        snprintf(of, sizeof of, "%" PRIu64, possible);
    printf("%-10s %10" PRIu64 " %10s %10" PRIu64 "  %s\n", name, covered, of, is_new, doc);
}

static void print_head(const struct view *v)
{
    hd_clean_printf(stdout, "%s, build %.12s: %zu campaign%s, %" PRIu64 " runs\n", v->is.program, v->is.build_text,
           v->is.campaigns.n, v->is.campaigns.n == 1 ? "" : "s", v->is.runs);
    if (v->is.n_builds > 1)
        printf("(%u other build%s kept apart: --build ID)\n", v->is.n_builds - 1,
               v->is.n_builds == 2 ? " is" : "s are");
}

static void print_table(const struct view *v)
{
    print_head(v);
    printf("%-10s %10s %10s %10s\n", "metric", "covered", "possible", "new");
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        char name[24];
        if (!is_asked(v, m, v->sub))
            continue;
        if (!v->sub)
            print_row(hd_metric_name(m), sum(v->covered[m]), v->possible[m], sum(v->is_new[m]),
                      hd_metric_doc(m));
        for (u32 i = 1; v->metric == m && i < HD_ELEMENT_SUBS; i++) {
            snprintf(name, sizeof name, "%s%u", hd_metric_name(m), i);
            if (v->covered[m][i] && is_asked(v, m, i))
                print_row(name, v->covered[m][i], 0, v->is_new[m][i], "");
        }
    }
    if (v->is_estimated >> HD_METRIC_map & 1 && is_asked(v, HD_METRIC_map, v->sub))
        printf("map: possible are those that some schedule can show, as far as runs tell; over all sites met "
               "there are %" PRIu64 " (T_C); %" PRIu64 " were found infeasible\n", v->map_all, v->map_infeasible);
}

/* ---- the list ------------------------------------------------------------------------------ */

/* e has all but the sites. */
static int put_element(struct view *v, const struct hd_store_element *what, struct hd_listed *e)
{
    struct hd_place_names names[HD_ELEMENT_SITES];
    e->metric = hd_metric_find(what->metric, strlen(what->metric));
    e->sub = what->sub;
    e->n = what->n;
    if (e->metric >= HD_METRIC_COUNT || !is_asked(v, e->metric, e->sub))
        return 0;
    for (u32 i = 0; i < e->n; i++) {
        struct hd_store_site site;
        if (hd_store_site_get(v->is.st, what->site[i], &site))
            return -EBADMSG;
        hd_remembered_name(&v->is, &site, &e->site[i], &names[i], e->metric == HD_METRIC_cfp);
    }
    v->listed++;
    if (v->json)
        hd_listed_json(v->json, e);
    else
        hd_listed_print(stdout, e);
    return 0;
}

static int list_element(void *self, const struct hd_store_seen *s)
{
    struct hd_listed e = {.runs = s->runs, .inputs = s->inputs, .first = s->run};
    return put_element(self, &s->what, &e);
}

static int list_uncovered(void *self, const struct hd_store_candidate *c)
{
    struct view *v = self;
    struct hd_listed e = {0};
    if (c->state == HD_STORE_EXPOSED || strcmp(c->what.metric, hd_metric_name(v->metric)))
        return 0;
    if (c->state == HD_STORE_FAILED && v->metric == HD_METRIC_syncpair) {
        v->abandoned++;
        return 0;
    }
    if (!v->json && !v->listed)
        printf("estimated, not covered:\n");
    if (!v->json)
        printf("  ");
    return put_element(v, &c->what, &e);
}

/* What is estimated but was never seen, of the one metric that is asked for. There is
 * a command of its own for iroot: heddle candidates. */
static int uncovered(struct view *v)
{
    if (v->metric == HD_METRIC_COUNT || v->metric == HD_METRIC_iroot)
        return 0;
    v->listed = 0;
    if (hd_store_candidates(v->is.st, v->is.build.id, 0, list_uncovered, v))
        return hd_remembered_failed(&v->is);
    if (!v->json && v->abandoned)
        printf("abandoned, since many runs targeted them in vain: %" PRIu64 " more\n",
               v->abandoned);
    return 0;
}

static int list(struct view *v)
{
    return hd_store_elements(v->is.st, v->is.build.id, hd_metric_name(v->metric), 0, list_element, v)
               ? hd_remembered_failed(&v->is) : 0;
}

/* ---- curves -------------------------------------------------------------------------------- */

struct curve {
    struct view *v;
    const struct hd_store_campaign *c;
    const char *metric;
};

static int put_point(void *self, u64 run, double seconds, u64 covered)
{
    struct curve *u = self;
    struct hd_json *j = u->v->json;
    if (!j) {
        printf("%-10s %10" PRId64 " %10" PRIu64 " %10.3f %10" PRIu64 "\n", u->metric, u->c->id, run,
               seconds, covered);
        return 0;
    }
    hd_json_object(j, NULL);
    hd_json_u64(j, "run", run);
    hd_json_f64(j, "seconds", seconds);
    hd_json_u64(j, "covered", covered);
    hd_json_end(j);
    return 0;
}

static int curve_of(struct view *v, const struct hd_store_campaign *c, u32 m)
{
    struct curve u = {v, c, hd_metric_name(m)};
    if (v->json)
        hd_json_array(v->json, u.metric);
    int e = hd_store_curve(v->is.st, c->id, u.metric, put_point, &u);
    if (v->json)
        hd_json_end(v->json);
    return e;
}

static int curves(struct view *v)
{
    int e = 0;
    if (!v->json)
        printf("%-10s %10s %10s %10s %10s\n", "metric", "campaign", "run", "seconds", "covered");
    for (size_t i = 0; i < v->is.campaigns.n && !e; i++)
        for (u32 m = 0; m < HD_METRIC_COUNT && !e; m++)
            if (is_asked(v, m, v->sub))
                e = curve_of(v, &v->is.campaigns.at[i], m);
    return e ? hd_remembered_failed(&v->is) : 0;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_metrics(struct view *v, struct hd_json *j)
{
    hd_json_array(j, "metrics");
    for (u32 m = 0; m < HD_METRIC_COUNT; m++) {
        if (!is_asked(v, m, v->sub))
            continue;
        hd_json_object(j, NULL);
        hd_json_str(j, "name", hd_metric_name(m));
        hd_json_u64(j, "covered", v->sub ? v->covered[m][v->sub] : sum(v->covered[m]));
        hd_json_u64(j, "new", v->sub ? v->is_new[m][v->sub] : sum(v->is_new[m]));
        if (v->possible[m])
            hd_json_u64(j, "possible", v->possible[m]);
        else
            hd_json_str(j, "possible", NULL);
        hd_json_object(j, "by_sub");
        for (u32 i = 1; i < HD_ELEMENT_SUBS; i++) {
            char key[8];
            snprintf(key, sizeof key, "%u", i);
            if (v->covered[m][i] && is_asked(v, m, i))
                hd_json_u64(j, key, v->covered[m][i]);
        }
        hd_json_end(j);
        hd_json_end(j);
    }
    hd_json_end(j);
}

static int json_campaigns(struct view *v, struct hd_json *j)
{
    int e = 0;
    hd_json_array(j, "campaigns");
    for (size_t i = 0; i < v->is.campaigns.n; i++) {
        const struct hd_store_campaign *c = &v->is.campaigns.at[i];
        hd_json_object(j, NULL);
        hd_json_s64(j, "id", c->id);
        hd_json_str(j, "arguments", c->args);
        hd_json_str(j, "strategy", c->strategy);
        hd_json_u64(j, "seed", c->seed);
        hd_json_u64(j, "runs", c->runs);
        hd_json_f64(j, "seconds", c->seconds);
        hd_json_s64(j, "started_at", c->started_at);
        hd_json_bool(j, "is_ended", c->is_ended);
        if (v->is.o->curve) {
            hd_json_object(j, "curve");
            for (u32 m = 0; m < HD_METRIC_COUNT && !e; m++)
                if (is_asked(v, m, v->sub))
                    e = curve_of(v, c, m);
            hd_json_end(j);
        }
        hd_json_end(j);
    }
    hd_json_end(j);
    return e;
}

static int put_json(struct view *v, FILE *to)
{
    struct hd_json j;
    hd_json_begin(&j, to);
    v->json = &j;
    hd_json_object(&j, NULL);
    hd_json_str(&j, "tool", "heddle");
    hd_json_str(&j, "version", HD_VERSION);
    hd_json_str(&j, "command", "coverage");
    hd_json_str(&j, "program", v->is.program);
    hd_json_str(&j, "build", v->is.build_text);
    hd_json_u64(&j, "builds", v->is.n_builds);
    json_metrics(v, &j);
    int e = json_campaigns(v, &j);
    if (v->is.o->list && !e) {
        hd_json_array(&j, "elements");
        e = list(v);
        hd_json_end(&j);
    }
    if (v->is.o->metric && !e) {
        hd_json_array(&j, "uncovered");
        e = uncovered(v);
        hd_json_end(&j);
    }
    hd_json_end(&j);
    hd_json_finish(&j);
    return e;
}

static int write_json(struct view *v)
{
    bool is_stdout = !strcmp(v->is.o->json, "-");
    FILE *to = is_stdout ? stdout : fopen(v->is.o->json, "we");
    if (!to)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", v->is.o->json, strerror(errno));
    int code = put_json(v, to);
    bool is_bad = fflush(to) || ferror(to);
    if (((!is_stdout && fclose(to)) || is_bad) && !code)
        code = hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", v->is.o->json, strerror(errno));
    return code;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int show(struct view *v)
{
    int code = hd_remembered_choose(&v->is);
    if (!code)
        code = count(v);
    if (code)
        return code;
    if (v->is.o->json)
        code = write_json(v);
    if (!code && !hd_output_owns_stdout(v->is.o)) {
        v->json = NULL;
        if (v->is.o->list)
            code = list(v);
        else if (v->is.o->curve)
            code = curves(v);
        else {
            print_table(v);
            code = v->is.o->metric ? uncovered(v) : 0;
        }
    }
    if (v->is.has_bare && !v->is.o->quiet)
        hd_cli_print("warning: %s has no debug information: sites are shown as addresses; build it "
                     "with -g",
                     v->is.program);
    return code;
}

int hd_cmd_coverage(char **argv)
{
    struct hd_options o;
    int code;
    struct hd_error err;
    if (!hd_cli_options(&o, "coverage", HD_FOR_coverage, argv, &code))
        return code;
    struct view v = {.is.o = &o, .metric = HD_METRIC_COUNT};
    const char *name = o.list ? o.list : o.metric;
    if (o.n_rest > 1)
        code = hd_cli_fail(HD_EXIT_USAGE, "one program at a time, not also '%s'", o.rest[1]);
    else if (name && !hd_cover_metric(name, &v.metric, &v.sub))
        code = hd_cli_fail(HD_EXIT_USAGE, "--%s wants one metric, not '%s'",
                           o.list ? "list" : "metric", name);
    else if (hd_store_open(&v.is.st, o.dir, HD_STORE_READ, 0, &err))
        code = hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    else
        code = show(&v);
    hd_remembered_release(&v.is);
    hd_options_release(&o);
    return code;
}
