/* overview.c: the data of the overview page; see overview.h. */
#include "report/html/overview.h"

#include "base/vec.h"
#include "observe/element.h"
#include "report/html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POINTS 400 /* of one curve; more cannot be seen */

struct view {
    struct hd_json j;
    struct hd_store *st;
    const char *program; /* the one whose rows are written */
    bool (*has_page)(void *self, const char *id);
    void *self;
    HD_VEC(struct { s64 id; char *path; }) programs;
    HD_VEC(s64) builds;
    u64 last_run, skip;
};

/* ---- lists of ids: a listing cannot be made inside of the same one ---------------------- */

static int keep_program(void *self, s64 id, const char *path, s64 at)
{
    struct view *v = self;
    (void)at;
    char *copy = strdup(path);
    HD_ASSERT(copy);
    __auto_type p = hd_vec_add(&v->programs);
    p->id = id;
    p->path = copy;
    return 0;
}

static int keep_build(void *self, const struct hd_store_build *b)
{
    struct view *v = self;
    *hd_vec_add(&v->builds) = b->id;
    return 0;
}

/* Calls `each` for every build of every program. */
static int each_build(struct view *v, int (*each)(struct view *v, s64 build))
{
    for (size_t i = 0; i < v->programs.n; i++) {
        v->builds.n = 0;
        v->program = v->programs.at[i].path;
        int e = hd_store_builds(v->st, v->programs.at[i].id, keep_build, v);
        for (size_t k = 0; k < v->builds.n && !e; k++)
            e = each(v, v->builds.at[k]);
        if (e)
            return e;
    }
    return 0;
}

/* ---- findings ----------------------------------------------------------------------- */

static int write_finding(void *self, const struct hd_store_finding *f)
{
    struct view *v = self;
    char page[300];
    snprintf(page, sizeof page, "%s.html", f->key);
    hd_json_object(&v->j, NULL);
    hd_json_str(&v->j, "id", f->key);
    hd_json_str(&v->j, "kind", f->kind);
    hd_json_str(&v->j, "title", f->title);
    hd_json_str(&v->j, "program", v->program);
    hd_json_str(&v->j, "page", v->has_page(v->self, f->key) ? page : NULL);
    hd_json_u64(&v->j, "times", f->times);
    hd_json_s64(&v->j, "first_at", f->first_at);
    hd_json_end(&v->j);
    return 0;
}

static int write_findings(struct view *v, s64 build)
{
    return hd_store_findings(v->st, build, write_finding, v);
}

/* ---- campaigns ---------------------------------------------------------------------- */

static int write_point(void *self, u64 run, double seconds, u64 covered)
{
    struct view *v = self;
    (void)seconds;
    if (run && run < v->last_run + v->skip)
        return 0;
    v->last_run = run;
    hd_json_array(&v->j, NULL);
    hd_json_u64(&v->j, NULL, run);
    hd_json_u64(&v->j, NULL, covered);
    hd_json_end(&v->j);
    return 0;
}

static int write_curves(struct view *v, const struct hd_store_campaign *c)
{
    int e = 0;
    v->skip = c->runs / MAX_POINTS + 1;
    hd_json_array(&v->j, "curves");
    for (u32 m = 0; m < HD_METRIC_COUNT && !e; m++) {
        v->last_run = 0;
        hd_json_object(&v->j, NULL);
        hd_json_str(&v->j, "metric", hd_metric_name(m));
        hd_json_array(&v->j, "points");
        e = hd_store_curve(v->st, c->id, hd_metric_name(m), write_point, v);
        hd_json_end(&v->j);
        hd_json_end(&v->j);
    }
    hd_json_end(&v->j);
    return e;
}

static void write_text(void *self, const char *text)
{
    struct view *v = self;
    hd_json_str(&v->j, NULL, text);
}

static int write_campaign(void *self, const struct hd_store_campaign *c)
{
    struct view *v = self;
    hd_json_object(&v->j, NULL);
    hd_json_str(&v->j, "program", v->program);
    hd_json_str(&v->j, "args", c->args);
    hd_json_str(&v->j, "strategy", c->strategy);
    hd_json_u64(&v->j, "runs", c->runs);
    hd_json_f64(&v->j, "seconds", c->seconds);
    hd_json_s64(&v->j, "started", c->started_at);
    hd_json_bool(&v->j, "ended", c->is_ended);
    hd_json_array(&v->j, "findings");
    int e = hd_store_sightings(v->st, c->id, write_text, v);
    hd_json_end(&v->j);
    hd_json_array(&v->j, "uncontrolled");
    e = e ? e : hd_store_uncontrolled(v->st, c->id, write_text, v);
    hd_json_end(&v->j);
    e = e ? e : write_curves(v, c);
    hd_json_end(&v->j);
    return e;
}

static int write_campaigns(struct view *v)
{
    int e = 0;
    for (size_t i = 0; i < v->programs.n && !e; i++) {
        v->program = v->programs.at[i].path;
        e = hd_store_campaigns(v->st, v->programs.at[i].id, write_campaign, v);
    }
    return e;
}

/* ---- candidates --------------------------------------------------------------------- */

static int write_count(void *self, const struct hd_store_count *c)
{
    struct view *v = self;
    if (strcmp(c->metric, hd_metric_name(HD_METRIC_iroot)))
        return 0;
    hd_json_object(&v->j, NULL);
    hd_json_str(&v->j, "program", v->program);
    hd_json_u64(&v->j, "idiom", c->sub);
    hd_json_u64(&v->j, "covered", c->covered);
    hd_json_u64(&v->j, "predicted", c->predicted);
    hd_json_u64(&v->j, "failed", c->failed);
    hd_json_end(&v->j);
    return 0;
}

static int write_counts(struct view *v, s64 build)
{
    return hd_store_counts(v->st, build, write_count, v);
}

int hd_overview_html(FILE *to, struct hd_store *st, const char *dir,
                     bool (*has_page)(void *self, const char *id), void *self)
{
    struct view v = {.st = st, .has_page = has_page, .self = self};
    hd_html_begin(to, HD_HTML_OVERVIEW, "Heddle: what was found and tested");
    hd_json_begin(&v.j, to);
    v.j.is_embedded = true;
    hd_json_object(&v.j, NULL);
    hd_json_str(&v.j, "dir", dir);
    int e = hd_store_programs(st, keep_program, &v);
    hd_json_array(&v.j, "findings");
    e = e ? e : each_build(&v, write_findings);
    hd_json_end(&v.j);
    hd_json_array(&v.j, "campaigns");
    e = e ? e : write_campaigns(&v);
    hd_json_end(&v.j);
    hd_json_array(&v.j, "candidates");
    e = e ? e : each_build(&v, write_counts);
    hd_json_end(&v.j);
    hd_json_end(&v.j);
    hd_html_end(to, HD_HTML_OVERVIEW);
    for (size_t i = 0; i < v.programs.n; i++)
        free(v.programs.at[i].path);
    hd_vec_release(&v.programs);
    hd_vec_release(&v.builds);
    return e;
}
