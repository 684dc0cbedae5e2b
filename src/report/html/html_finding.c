/* html_finding.c: the data of a finding's page.
 *
 *   rows     the order of steps (explain/steps.c), at most MAX_ROWS and the key ones
 *   arrows   between rows
 *   strings, places, files   tables that rows refer to by number, so that a page of ten
 *            thousand steps stays small; files hold the lines around the places only
 *   text     report.txt, for readers without scripts and for all that has no picture
 */
#include "report/html/html.h"

#include "base/map.h"
#include "report/explain/model.h"

#include <string.h>

#define MAX_ROWS 10000
#define MAX_FRAMES 64
#define MAX_THREADS 64     /* with stacks */
#define LINES_AROUND 25    /* of the source, on each side of a place */
#define MAX_LINES 6000     /* of all files */
#define NONE (-1)

struct source_line {
    u32 place; /* one that names the file */
    int line;
};

struct builder {
    struct hd_json j;
    struct hd_model st;
    const struct hd_finding *f;
    struct hd_map string_of, place_of; /* hash -> number + 1 */
    HD_VEC(char *) strings;
    HD_VEC(struct hd_srcloc) places;
    struct hd_rows rows;
    u32 *row_of; /* event -> row + 1 */
};

/* ---- tables ------------------------------------------------------------------------ */

static u64 hash_text(u64 h, const char *text)
{
    for (; text && *text; text++)
        h = (h ^ (u8)*text) * 1099511628211u;
    return h * 31 + 7;
}

static s64 string(struct builder *b, const char *text)
{
    if (!text || !*text)
        return NONE;
    u64 key = hash_text(14695981039346656037u, text);
    u64 at = hd_map_get_or(&b->string_of, key, 0);
    if (!at) {
        char *copy = strdup(text);
        HD_ASSERT(copy);
        *hd_vec_add(&b->strings) = copy;
        hd_map_put(&b->string_of, key, at = b->strings.n);
    }
    return (s64)at - 1;
}

static s64 place(struct builder *b, const struct hd_srcloc *l)
{
    if (!l->file && !l->function)
        return NONE;
    u64 key = hash_text(hash_text(14695981039346656037u, l->function), l->file) +
              (u64)l->line * 0x9e3779b97f4a7c15u;
    u64 at = hd_map_get_or(&b->place_of, key, 0);
    if (!at) {
        *hd_vec_add(&b->places) = *l;
        hd_map_put(&b->place_of, key, at = b->places.n);
    }
    return (s64)at - 1;
}

static void write_strings(struct builder *b)
{
    hd_json_array(&b->j, "strings");
    for (size_t i = 0; i < b->strings.n; i++)
        hd_json_str(&b->j, NULL, b->strings.at[i]);
    hd_json_end(&b->j);
}

/* [function, file, line] each. */
static void write_places(struct builder *b)
{
    hd_json_array(&b->j, "places");
    for (size_t i = 0; i < b->places.n; i++) {
        const struct hd_srcloc *l = &b->places.at[i];
        char name[512] = "", where[512];
        if (l->function)
            hd_name_function(l->function, 200, name, sizeof name);
        hd_name_place(&b->st, l, false, where, sizeof where);
        char *colon = strrchr(where, ':');
        if (l->line > 0 && colon)
            *colon = 0;
        hd_json_array(&b->j, NULL);
        hd_json_s64(&b->j, NULL, string(b, name));
        hd_json_s64(&b->j, NULL, string(b, where));
        hd_json_s64(&b->j, NULL, l->line);
        hd_json_end(&b->j);
    }
    hd_json_end(&b->j);
}

static int by_line(const void *a, const void *b)
{
    const struct hd_srcloc *x = *(const struct hd_srcloc *const *)a;
    const struct hd_srcloc *y = *(const struct hd_srcloc *const *)b;
    int c = strcmp(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* The lines around the places of one file; returns the first place of the next file. */
static size_t write_file(struct builder *b, const struct hd_srcloc **list, size_t i, size_t n,
                         u32 *room)
{
    const struct hd_srcloc *first = list[i];
    char where[512];
    int next = 1; /* not written yet */
    hd_name_place(&b->st, first, false, where, sizeof where);
    char *colon = strrchr(where, ':');
    if (colon)
        *colon = 0;
    hd_json_object(&b->j, NULL);
    hd_json_s64(&b->j, "file", string(b, where));
    hd_json_array(&b->j, "lines"); /* number, text, number, text, ... */
    for (; i < n && !strcmp(list[i]->file, first->file); i++) {
        int from = HD_MAX(next, list[i]->line - LINES_AROUND);
        for (; from <= list[i]->line + LINES_AROUND && *room; from++) {
            const char *text = hd_symbols_line(b->st.s, list[i], from);
            if (!text)
                break;
            hd_json_s64(&b->j, NULL, from);
            hd_json_str(&b->j, NULL, text);
            --*room;
        }
        next = HD_MAX(next, from);
    }
    hd_json_end(&b->j);
    hd_json_end(&b->j);
    return i;
}

static void write_files(struct builder *b)
{
    u32 room = MAX_LINES;
    size_t n = 0;
    const struct hd_srcloc **list = calloc(b->places.n + 1, sizeof *list);
    HD_ASSERT(list);
    for (size_t i = 0; i < b->places.n; i++)
        if (b->places.at[i].file && b->places.at[i].line > 0 && hd_model_is_users(&b->places.at[i]))
            list[n++] = &b->places.at[i];
    qsort(list, n, sizeof *list, by_line);
    hd_json_array(&b->j, "files");
    for (size_t i = 0; i < n;)
        i = write_file(b, list, i, n, &room);
    hd_json_end(&b->j);
    free(list);
}

/* ---- rows and arrows --------------------------------------------------------------- */

static const char *class_of(u8 kind)
{
    switch (hd_event_class(kind)) {
    case HD_CLASS_READ: return "read";
    case HD_CLASS_WRITE: case HD_CLASS_RMW: return "write";
    case HD_CLASS_ACQ: case HD_CLASS_REL: return "lock";
    case HD_CLASS_WAITS: case HD_CLASS_WAKES: return "sync";
    case HD_CLASS_ORDER: return "thread";
    default: return "other";
    }
}

static void write_step(struct builder *b, const struct hd_row *row)
{
    const struct hd_event *e = &b->f->events[row->event];
    char text[400];
    struct hd_srcloc l;
    hd_name_action(&b->st, e, text, sizeof text);
    hd_json_u64(&b->j, "step", e->step);
    hd_json_s64(&b->j, "does", string(b, text));
    hd_json_s64(&b->j, "class", string(b, class_of(e->kind)));
    if (row->count > 1)
        hd_json_u64(&b->j, "times", row->count);
    if (e->site) {
        if (e->kind != HD_EV_START || !hd_model_created(&b->st, e->tid, &l))
            hd_model_place(&b->st, e, row->event, &l);
        hd_json_s64(&b->j, "at", place(b, &l));
    }
    if (hd_model_caller(&b->st, e, row->event, &l))
        hd_json_s64(&b->j, "from", place(b, &l));
    if (hd_name_has_object(e->kind)) {
        hd_name_object_of(&b->st, e, text, sizeof text);
        hd_json_s64(&b->j, "object", string(b, text));
    }
    if (hd_value_text(&b->st, row->event, row->last, text, sizeof text))
        hd_json_s64(&b->j, "value", string(b, text));
}

static void write_row(struct builder *b, const struct hd_row *row)
{
    static const char *const name[] = {
        [HD_ROW_STEP] = "step", [HD_ROW_SWITCH] = "switch", [HD_ROW_GAP] = "gap",
        [HD_ROW_REPEAT] = "repeat", [HD_ROW_END] = "end",
    };
    struct hd_srcloc l;
    hd_json_object(&b->j, NULL);
    hd_json_s64(&b->j, "is", string(b, name[row->kind]));
    if (row->kind != HD_ROW_GAP)
        hd_json_u64(&b->j, "tid", row->tid);
    if (row->is_key)
        hd_json_u64(&b->j, "key", 1);
    if (row->kind == HD_ROW_STEP)
        write_step(b, row);
    else if (row->kind == HD_ROW_SWITCH || row->kind == HD_ROW_END)
        hd_json_s64(&b->j, "does", string(b, row->text));
    else
        hd_json_u64(&b->j, "times", row->count);
    if (row->kind == HD_ROW_REPEAT)
        hd_json_u64(&b->j, "span", row->span);
    if (row->kind == HD_ROW_END && hd_model_where(&b->st, row->tid, &l))
        hd_json_s64(&b->j, "at", place(b, &l));
    hd_json_end(&b->j);
}

static void write_rows(struct builder *b)
{
    b->row_of = calloc(b->f->n_events + 1, sizeof *b->row_of);
    HD_ASSERT(b->row_of);
    hd_json_array(&b->j, "rows");
    for (size_t i = 0; i < b->rows.v.n; i++) {
        const struct hd_row *row = &b->rows.v.at[i];
        write_row(b, row);
        for (u32 e = row->event; row->kind == HD_ROW_STEP && e <= row->last; e++)
            if (b->f->events[e].tid == row->tid && !b->row_of[e])
                b->row_of[e] = (u32)i + 1;
    }
    hd_json_end(&b->j);
}

static void write_arrows(struct builder *b)
{
    struct hd_arrows a;
    hd_arrows_make(&a, b->f);
    hd_json_array(&b->j, "arrows"); /* from, to, name, from, to, name, ... */
    for (size_t i = 0; i < a.v.n; i++) {
        u32 from = b->row_of[a.v.at[i].from], to = b->row_of[a.v.at[i].to];
        if (!from || !to)
            continue;
        hd_json_u64(&b->j, NULL, from - 1);
        hd_json_u64(&b->j, NULL, to - 1);
        hd_json_s64(&b->j, NULL, string(b, a.v.at[i].name));
    }
    hd_json_end(&b->j);
    hd_arrows_release(&a);
}

/* ---- the rest ---------------------------------------------------------------------- */

static void write_threads(struct builder *b)
{
    const struct hd_finding *f = b->f;
    hd_json_array(&b->j, "threads");
    for (u32 i = 0; i < f->n_threads; i++) {
        struct hd_srcloc l[MAX_FRAMES];
        char who[64];
        hd_json_object(&b->j, NULL);
        hd_json_u64(&b->j, "tid", f->threads[i].tid);
        hd_name_thread(&b->st, f->threads[i].tid, who, sizeof who);
        hd_json_str(&b->j, "name", who);
        if (hd_model_created(&b->st, f->threads[i].tid, &l[0]))
            hd_json_s64(&b->j, "created", place(b, &l[0]));
        u32 n = i < MAX_THREADS ? hd_model_frames(&b->st, &f->threads[i], l, MAX_FRAMES) : 0;
        hd_json_array(&b->j, "stack");
        for (u32 k = 0; k < n; k++)
            hd_json_s64(&b->j, NULL, place(b, &l[k]));
        hd_json_end(&b->j);
        hd_json_end(&b->j);
    }
    hd_json_end(&b->j);
}

/* An event of the deciding pair: its row, if it is among them, and what it does. */
static void write_decided_event(struct builder *b, const char *key, enum hd_decided_event which)
{
    const struct hd_event *e = &b->f->decided.event[which];
    char text[400], who[64];
    struct hd_srcloc l;
    if (which == HD_DECIDED_BEFORE && !e->step)
        return;
    u32 at = hd_decided_find(b->f, which);
    hd_json_object(&b->j, key);
    hd_json_u64(&b->j, "tid", e->tid);
    hd_name_thread(&b->st, e->tid, who, sizeof who);
    hd_json_str(&b->j, "who", who);
    hd_name_action(&b->st, e, text, sizeof text);
    hd_json_str(&b->j, "does", text);
    hd_model_place(&b->st, e, at, &l);
    hd_json_s64(&b->j, "at", place(b, &l));
    if (at != ~0u && b->row_of[at])
        hd_json_u64(&b->j, "row", b->row_of[at] - 1);
    hd_json_end(&b->j);
}

static void write_decided(struct builder *b)
{
    const struct hd_decided *d = &b->f->decided;
    if (!d->is)
        return;
    hd_json_object(&b->j, "pair");
    write_decided_event(b, "before", HD_DECIDED_BEFORE);
    write_decided_event(b, "first", HD_DECIDED_FIRST);
    write_decided_event(b, "second", HD_DECIDED_SECOND);
    hd_json_u64(&b->j, "fails", d->fails);
    hd_json_u64(&b->j, "fails_of", d->fails_of);
    hd_json_u64(&b->j, "passes", d->passes);
    hd_json_u64(&b->j, "passes_of", d->passes_of);
    hd_json_end(&b->j);
}

typedef bool words_fn(struct hd_model *st, FILE *to);

static bool sentence(struct hd_model *st, FILE *to)
{
    hd_sentence(st, to);
    return true;
}

static void write_words(struct builder *b, const char *key, words_fn *words)
{
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    HD_ASSERT(to);
    words(&b->st, to);
    HD_ASSERT(!fclose(to));
    hd_json_str(&b->j, key, text);
    free(text);
}

static void write_head(struct builder *b)
{
    const struct hd_finding *f = b->f;
    char *text = NULL;
    size_t n;
    hd_json_str(&b->j, "id", f->id);
    hd_json_str(&b->j, "kind", hd_finding_kind(f));
    hd_json_bool(&b->j, "remark", f->is_remark);
    hd_json_str(&b->j, "program", f->program);
    hd_json_str(&b->j, "found_by", f->command);
    write_words(b, "sentence", sentence);
    if (f->decided.is)
        write_words(b, "decided", hd_sentence_decided);
    if (f->stats.delay.ns > 0)
        write_words(b, "delay", hd_sentence_delay);
    FILE *to = open_memstream(&text, &n);
    HD_ASSERT(to);
    if (f->dir[0])
        hd_report_command(to, f);
    HD_ASSERT(!fclose(to));
    hd_json_str(&b->j, "replay", text);
    free(text);
    to = open_memstream(&text, &n);
    HD_ASSERT(to);
    hd_report_text(to, f, b->st.s, &(struct hd_text_opts){.width = 100});
    HD_ASSERT(!fclose(to));
    hd_json_str(&b->j, "text", text);
    free(text);
    hd_json_u64(&b->j, "steps", HD_MAX(f->stats.steps, (u64)b->rows.n_steps));
    hd_json_u64(&b->j, "steps_shown", b->rows.n_steps);
}

static void release(struct builder *b)
{
    for (size_t i = 0; i < b->strings.n; i++)
        free(b->strings.at[i]);
    hd_vec_release(&b->strings);
    hd_vec_release(&b->places);
    hd_map_release(&b->string_of);
    hd_map_release(&b->place_of);
    hd_rows_release(&b->rows);
    hd_model_release(&b->st);
    free(b->row_of);
}

void hd_report_html(FILE *to, const struct hd_finding *f, struct hd_symbols *s)
{
    struct builder b = {.f = f};
    char title[1024];
    hd_model_init(&b.st, f, s);
    hd_rows_make(&b.rows, &b.st, MAX_ROWS);
    hd_report_title(f, s, title, sizeof title);
    hd_html_begin(to, HD_HTML_FINDING, title);
    hd_json_begin(&b.j, to);
    b.j.is_embedded = true;
    hd_json_object(&b.j, NULL);
    write_head(&b);
    write_rows(&b);
    write_arrows(&b);
    write_threads(&b);
    write_decided(&b);
    write_files(&b); /* the tables last: all before adds to them */
    write_places(&b);
    write_strings(&b);
    hd_json_end(&b.j);
    hd_html_end(to, HD_HTML_FINDING);
    release(&b);
}
