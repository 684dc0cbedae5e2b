/* history.c: heddle history: the builds of a program that were tested, one row each: a table, a
 * plot in the terminal, and as SVG; and which of them the store need not keep. docs/cmd/history.md */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/remembered.h"
#include "report/clean.h"

#define WAIT_SECONDS 5.0
#define BAR 40

/* One build. */
struct tested {
    s64 id, first_at;
    char hash[17], revision[13];
    u32 campaigns, findings;
    u64 runs, elements, left, abandoned;
    double seconds;
};

struct history {
    struct hd_remembered r;
    HD_VEC(struct tested) v; /* oldest first */
    struct tested *at;
};

static int take_build(void *self, const struct hd_store_build *b)
{
    struct history *h = self;
    struct tested *t = hd_vec_add(&h->v);
    *t = (struct tested){.id = b->id, .first_at = b->first_at};
    for (u32 i = 0; i < HD_MIN(b->hash_len, 8u); i++)
        snprintf(t->hash + 2 * i, 3, "%02x", b->hash[i]);
    snprintf(t->revision, sizeof t->revision, "%.12s", b->revision);
    return 0;
}

static int take_campaign(void *self, const struct hd_store_campaign *c)
{
    struct history *h = self;
    for (size_t i = 0; i < h->v.n; i++)
        if (h->v.at[i].id == c->build) {
            h->v.at[i].campaigns++;
            h->v.at[i].runs += c->runs;
            h->v.at[i].seconds += c->seconds;
        }
    return 0;
}

static int take_count(void *self, const struct hd_store_count *c)
{
    struct history *h = self;
    h->at->elements += c->covered;
    h->at->left += c->predicted;
    h->at->abandoned += c->failed;
    return 0;
}

static int take_finding(void *self, const struct hd_store_finding *f)
{
    ((struct history *)self)->at->findings++;
    return 0;
}

static int load(struct history *h)
{
    struct hd_store *st = h->r.st;
    int e = hd_store_builds(st, h->r.program_id, take_build, h);
    if (!e)
        e = hd_store_campaigns(st, h->r.program_id, take_campaign, h);
    for (size_t i = 0; i < h->v.n && !e; i++) {
        h->at = &h->v.at[i];
        e = hd_store_counts(st, h->at->id, take_count, h);
        if (!e)
            e = hd_store_findings(st, h->at->id, take_finding, h);
    }
    return e ? hd_remembered_failed(&h->r) : 0;
}

/* ---- what is shown ------------------------------------------------------------------------- */

static void put_day(s64 ms, char *buf, size_t size)
{
    time_t t = (time_t)(ms / 1000);
    struct tm tm;
    localtime_r(&t, &tm);
    strftime(buf, size, "%Y-%m-%d %H:%M", &tm);
}

static u64 most_elements(const struct history *h)
{
    u64 most = 1;
    for (size_t i = 0; i < h->v.n; i++)
        most = HD_MAX(most, h->v.at[i].elements);
    return most;
}

static void print_table(const struct history *h)
{
    char day[32];
    hd_clean_printf(stdout, "%s: %zu build%s\n", h->r.program, h->v.n, h->v.n == 1 ? "" : "s");
    printf("%-16s  %-12s  %-16s  %9s  %8s  %9s  %8s  %6s  %9s  %8s\n", "build", "commit",
           "first tested", "campaigns", "runs", "seconds", "elements", "left", "abandoned",
           "findings");
    for (size_t i = 0; i < h->v.n; i++) {
        const struct tested *t = &h->v.at[i];
        put_day(t->first_at, day, sizeof day);
        printf("%-16s  %-12s  %-16s  %9u  %8llu  %9.1f  %8llu  %6llu  %9llu  %8u\n", t->hash,
               t->revision[0] ? t->revision : "-", day, t->campaigns, (unsigned long long)t->runs,
               t->seconds, (unsigned long long)t->elements, (unsigned long long)t->left,
               (unsigned long long)t->abandoned, t->findings);
    }
}

/* One bar for each build: elements covered; an F for each finding. */
static void print_plot(const struct history *h)
{
    u64 most = most_elements(h);
    printf("\nelements covered, F = a finding\n");
    for (size_t i = 0; i < h->v.n; i++) {
        const struct tested *t = &h->v.at[i];
        int n = (int)(t->elements * BAR / most);
        printf("%.8s |%.*s%*s| %llu ", t->hash, n, "########################################",
               BAR - n, "", (unsigned long long)t->elements);
        for (u32 k = 0; k < HD_MIN(t->findings, 20u); k++)
            putchar('F');
        putchar('\n');
    }
}

/* ---- SVG ------------------------------------------------------------------------------------- */

enum { LEFT = 60, STEP = 60, TOP = 30, HEIGHT = 80, GAP = 40 };

static double value_of(const struct tested *t, u32 row)
{
    switch (row) {
    case 0: return (double)t->elements;
    case 1: return (double)t->left;
    case 2: return t->findings;
    default: return t->seconds;
    }
}

static void put_row(FILE *to, const struct history *h, u32 row, const char *name)
{
    double most = 0;
    u32 bottom = TOP + (row + 1) * HEIGHT + row * GAP;
    for (size_t i = 0; i < h->v.n; i++)
        most = HD_MAX(most, value_of(&h->v.at[i], row));
    fprintf(to, "<text x=\"4\" y=\"%u\">%s, most %g</text>\n", bottom - HEIGHT - 6, name, most);
    fprintf(to, "<polyline fill=\"none\" stroke=\"#246\" stroke-width=\"2\" points=\"");
    for (size_t i = 0; i < h->v.n; i++)
        fprintf(to, "%zu,%.1f ", LEFT + i * STEP,
                bottom - (most > 0 ? value_of(&h->v.at[i], row) / most * HEIGHT : 0));
    fprintf(to, "\"/>\n");
    for (size_t i = 0; i < h->v.n; i++)
        fprintf(to, "<circle cx=\"%zu\" cy=\"%.1f\" r=\"3\" fill=\"#246\"><title>%s %s: %g</title>"
                "</circle>\n", LEFT + i * STEP,
                bottom - (most > 0 ? value_of(&h->v.at[i], row) / most * HEIGHT : 0),
                h->v.at[i].hash, h->v.at[i].revision, value_of(&h->v.at[i], row));
}

static int write_svg(const struct history *h, const char *name)
{
    static const char *const rows[] = {"elements covered", "candidates left", "findings", "seconds"};
    FILE *to = strcmp(name, "-") ? fopen(name, "we") : stdout;
    if (!to)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", name, strerror(errno));
    u32 height = TOP + (u32)HD_COUNT(rows) * (HEIGHT + GAP);
    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n", LEFT + h->v.n * STEP + 40, height);
    for (u32 i = 0; i < HD_COUNT(rows); i++)
        put_row(to, h, i, rows[i]);
    for (size_t i = 0; i < h->v.n; i++)
        fprintf(to, "<text x=\"%zu\" y=\"%u\" font-size=\"9\">%.8s</text>\n", LEFT + i * STEP - 20,
                height - 14, h->v.at[i].revision[0] ? h->v.at[i].revision : h->v.at[i].hash);
    fputs("</svg>\n", to);
    bool is_bad = fflush(to) || ferror(to);
    if ((to != stdout && fclose(to)) || is_bad)
        return hd_cli_fail(HD_EXIT_FAILED, "cannot write %s: %s", name,
                           strerror(errno ? errno : EIO));
    return 0;
}

/* ---- the command ------------------------------------------------------------------------------ */

/* All but the newest so many builds. */
static int forget(struct history *h, u32 keep)
{
    u32 n = 0;
    for (size_t i = 0; i + keep < h->v.n; i++) {
        s64 known = hd_store_has_functions(h->r.st, h->v.at[i].id);
        if (!known && !h->v.at[i].elements)
            continue; /* it was forgotten before */
        if (known < 0 || hd_store_forget(h->r.st, h->v.at[i].id))
            return hd_remembered_failed(&h->r);
        n++;
    }
    if (n && hd_store_shrink(h->r.st))
        return hd_remembered_failed(&h->r);
    if (!h->r.o->quiet)
        hd_cli_print("%u build%s forgotten: what was tested in them; findings stay", n,
                     n == 1 ? "" : "s");
    return 0;
}

static int show(struct history *h)
{
    struct hd_error err;
    const struct hd_options *o = h->r.o;
    bool is_changed = hd_options_is_given(o, "keep");
    if (hd_store_open(&h->r.st, o->dir, is_changed ? HD_STORE_WRITE : HD_STORE_READ, WAIT_SECONDS, &err))
        return hd_cli_fail(HD_EXIT_FAILED, "%s", err.text);
    int code = hd_remembered_choose(&h->r);
    if (!code)
        code = load(h);
    if (!code && is_changed)
        return forget(h, o->keep);
    if (!code && o->svg)
        return write_svg(h, o->svg);
    if (!code) {
        print_table(h);
        print_plot(h);
    }
    return code;
}

int hd_cmd_history(char **argv)
{
    struct hd_options o;
    int code;
    if (!hd_cli_options(&o, "history", HD_FOR_history, argv, &code))
        return code;
    struct history h = {.r = {.o = &o}};
    code = show(&h);
    hd_vec_release(&h.v);
    hd_remembered_release(&h.r);
    hd_options_release(&o);
    return code;
}
