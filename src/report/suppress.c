/* suppress.c: see suppress.h. A pattern is compared with the function, source
 * file and module of every frame the finding rests on (stacks of the threads it
 * speaks of, of the block's life, the accesses that decided) and with the names
 * of its variables and locks. */
#include "report/suppress.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain/refine.h"
#include "report/explain/model.h"
#include "report/explain/race.h"

#define MAX_LINE 4096
#define MAX_FRAMES 64

enum where {
    ANYWHERE, /* frames and names */
    TOP,      /* innermost frames only */
    MODULE,   /* the modules of innermost frames */
    ID,
};

/* `kinds`: of findings it applies to, NULL = all. Those of TSan, by what TSan
 * would have seen behind the failure, and our own. */
static const struct {
    const char *name;
    enum where where;
    const char *kinds;
} types[] = {
    {"race", ANYWHERE, " race atomicity assertion signal exit check output heap "},
    {"race_top", TOP, " race atomicity assertion signal exit check output heap "},
    {"deadlock", ANYWHERE, " deadlock lost-wakeup livelock hang "},
    {"mutex", ANYWHERE, " misuse "},
    {"thread", ANYWHERE, " leak "}, /* and remarks */
    {"signal", ANYWHERE, " signal handler "},
    {"called_from_lib", MODULE, NULL},
    {"finding", ID, NULL},
};

/* ---- the file -------------------------------------------------------------------- */

static int type_of(const char *word, size_t n)
{
    for (u32 i = 0; i < HD_COUNT(types); i++)
        if (strlen(types[i].name) == n && !memcmp(types[i].name, word, n))
            return (int)i;
    return -1;
}

HD_PRINTF(4, 5)
static int bad(const struct hd_suppressions *s, u32 line, struct hd_error *err, const char *format,
               ...)
{
    va_list ap;
    va_start(ap, format);
    hd_error_setv(err, -EINVAL, format, ap);
    va_end(ap);
    return hd_error_prefix(err, -EINVAL, "%s:%u", s->path, line);
}

static int take_line(struct hd_suppressions *s, char *text, u32 line, struct hd_error *err)
{
    while (isspace((u8)*text))
        text++;
    size_t n = strlen(text);
    while (n && isspace((u8)text[n - 1]))
        text[--n] = '\0';
    if (!n || *text == '#')
        return 0;
    for (char *p = text; *p; p++)
        if (iscntrl((u8)*p) && *p != '\t')
            return bad(s, line, err, "this is not a text file");
    char *colon = strchr(text, ':');
    if (!colon)
        return bad(s, line, err,
                   "'%.60s' is no suppression: write type:pattern, for "
                   "example race:my_function",
                   text);
    int type = type_of(text, (size_t)(colon - text));
    if (type < 0)
        return bad(s, line, err,
                   "unknown type '%.*s': use race, race_top, deadlock, mutex, "
                   "thread, signal, called_from_lib or finding",
                   (int)HD_MIN(colon - text, (ptrdiff_t)40), text);
    const char *pattern = colon + 1;
    while (isspace((u8)*pattern))
        pattern++;
    if (!*pattern)
        return bad(s, line, err, "the pattern after '%s:' is missing", types[type].name);
    char *copy = strdup(pattern);
    if (!copy)
        return bad(s, line, err, "out of memory");
    *hd_vec_add(&s->v) = (struct hd_suppression){.type = (u8)type, .line = line, .pattern = copy};
    return 0;
}

int hd_suppress_load(struct hd_suppressions *s, const char *path, struct hd_error *err)
{
    char *text = NULL;
    size_t cap = 0;
    ssize_t n;
    u32 line = 0;
    int e = 0;
    memset(s, 0, sizeof *s);
    snprintf(s->path, sizeof s->path, "%s", path);
    FILE *from = fopen(path, "re");
    if (!from) {
        e = -errno;
        return hd_error_set(err, e, "cannot read the suppressions %s: %s", path, strerror(-e));
    }
    errno = 0;
    while (!e && (n = getline(&text, &cap, from)) >= 0) {
        line++;
        if (n > MAX_LINE || strlen(text) != (size_t)n)
            e = bad(s, line, err, "this is not a text file");
        else
            e = take_line(s, text, line, err);
    }
    if (!e && ferror(from)) {
        e = errno ? -errno : -EIO;
        hd_error_set(err, e, "cannot read the suppressions %s: %s", path, strerror(-e));
    }
    fclose(from);
    free(text);
    if (e)
        hd_suppress_release(s);
    return e;
}

void hd_suppress_release(struct hd_suppressions *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        free(s->v.at[i].pattern);
    hd_vec_release(&s->v);
}

void hd_suppress_text(const struct hd_suppression *p, char *buf, size_t size)
{
    snprintf(buf, size, "%s:%s", types[p->type].name, p->pattern);
}

/* ---- patterns ----------------------------------------------------------------------- */

bool hd_suppress_matches(const char *pattern, const char *text)
{
    bool is_start = *pattern == '^';
    const char *p = pattern + is_start, *t = text;
    size_t n = strlen(p);
    bool is_end = n && p[n - 1] == '$';
    const char *end = p + n - is_end;
    /* Where to go on after a mismatch: behind the last star, one further on. */
    const char *star = is_start ? NULL : p, *from = t;
    for (;;) {
        if (p < end && *p == '*') {
            star = ++p;
            from = t;
        } else if (p == end && (!is_end || !*t)) {
            return true;
        } else if (p < end && *t && *p == *t) {
            p++;
            t++;
        } else if (star && *from) {
            p = star;
            t = ++from;
        } else {
            return false;
        }
    }
}

/* ---- what a finding rests on ------------------------------------------------------------ */

struct query {
    const char *pattern;
    enum where where;
    struct hd_model *st;
    bool is_found;
};

static void try_text(struct query *k, const char *text)
{
    k->is_found |= text && hd_suppress_matches(k->pattern, text);
}

static void try_path(struct query *k, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    try_text(k, path);
    try_text(k, slash ? slash + 1 : NULL); /* so that ^ means the name, too */
}

static void try_frame(struct query *k, const struct hd_srcloc *l, bool is_top)
{
    if (k->where != ANYWHERE && !is_top)
        return;
    try_path(k, l->module);
    if (k->where == MODULE)
        return;
    try_text(k, l->function);
    try_path(k, l->file);
}

static void try_stack(struct query *k, const struct hd_finding_thread *t)
{
    struct hd_srcloc l[MAX_FRAMES];
    u32 n = t ? hd_model_frames(k->st, t, l, MAX_FRAMES) : 0;
    for (u32 i = 0; i < n; i++)
        try_frame(k, &l[i], i == 0);
}

static void try_site(struct query *k, u64 site)
{
    struct hd_srcloc l[16];
    int n = site ? hd_symbols_code(k->st->s, site, true, l, 16) : 0;
    for (int i = 0; i < n; i++)
        try_frame(k, &l[i], i == 0);
}

static void try_object(struct query *k, u64 obj)
{
    char name[512];
    if (k->where == ANYWHERE && hd_symbols_data(k->st->s, obj, name, sizeof name, NULL))
        try_text(k, name);
}

static void try_event(struct query *k, u32 i)
{
    try_site(k, k->st->f->events[i].site);
    try_object(k, k->st->f->events[i].obj);
}

/* One of two accesses that race, and the calls that led there. */
static void try_access(struct query *k, u32 i)
{
    if (i == ~0u)
        return;
    try_event(k, i);
    const struct hd_detail *d = hd_model_detail(k->st, i);
    for (u32 c = 0; d && k->where == ANYWHERE && c < HD_MIN(d->n_callers, (u32)HD_DETAIL_CALLERS); c++)
        try_site(k, d->caller[c]);
}

static void try_place(struct query *k, const struct hd_heap_place *p)
{
    struct hd_finding_thread t = {.tid = HD_NO_THREAD, .n_frames = p->n, .frames = (u64 *)p->pc};
    if (p->n)
        try_stack(k, &t);
}

static void try_finding(struct query *k)
{
    const struct hd_finding *f = k->st->f;
    const struct hd_verdict *v = &f->verdict;
    struct hd_refined r;
    u32 keys[16], n = hd_model_keys(k->st, keys, HD_COUNT(keys));
    switch (v->kind) {
    case HD_V_DEADLOCK:
        for (u32 i = 0; i < v->cycle.n; i++) {
            try_stack(k, hd_model_thread(k->st, v->cycle.tid[i]));
            try_object(k, v->cycle.obj[i]);
        }
        break;
    case HD_V_HEAP:
        try_place(k, &v->heap.use);
        try_place(k, &v->heap.alloc);
        try_place(k, &v->heap.freed);
        break;
    case HD_V_MISUSE:
        try_site(k, v->misuse.site);
        if (v->misuse.kind < HD_MISUSE_LEAK)
            try_object(k, v->misuse.obj);
        break;
    default:
        break;
    }
    for (u32 i = 0; f->race.class && i < hd_race_accesses(&f->race); i++)
        try_access(k, hd_race_find(f, i));
    if (hd_race_is(f))
        return;
    hd_refine(f, &r);
    if (v->kind != HD_V_DEADLOCK && !r.kind)
        try_stack(k, hd_model_thread(k->st, v->tid));
    for (u32 i = 0; i < r.n; i++)
        try_stack(k, hd_model_thread(k->st, r.tid[i]));
    for (u32 i = 0; i < r.n_events; i++)
        try_event(k, r.event[i]);
    for (u32 i = 0; i < n; i++)
        try_event(k, keys[i]);
}

static bool is_for(const struct hd_suppression *p, const char *kind)
{
    char word[40];
    snprintf(word, sizeof word, " %s ", kind);
    return !types[p->type].kinds || strstr(types[p->type].kinds, word);
}

static bool is_id(const struct hd_suppression *p, const char *id)
{
    return !strcmp(p->pattern, id) || (strpbrk(p->pattern, "*^$") && hd_suppress_matches(p->pattern, id));
}

struct hd_suppression *hd_suppress_id(struct hd_suppressions *s, const char *id)
{
    for (size_t i = 0; s && i < s->v.n; i++) {
        struct hd_suppression *p = &s->v.at[i];
        if (types[p->type].where == ID && is_id(p, id)) {
            p->used++;
            return p;
        }
    }
    return NULL;
}

struct hd_suppression *hd_suppress_find(struct hd_suppressions *s, const struct hd_finding *f,
                                        struct hd_symbols *sym)
{
    struct hd_suppression *hit = NULL;
    struct hd_model st;
    if (!s || !s->v.n)
        return NULL;
    const char *kind = hd_finding_kind(f);
    hd_model_init(&st, f, sym);
    for (size_t i = 0; i < s->v.n && !hit; i++) {
        struct hd_suppression *p = &s->v.at[i];
        struct query k = {p->pattern, types[p->type].where, &st, false};
        if (!is_for(p, kind))
            continue;
        if (k.where == ID)
            k.is_found = is_id(p, f->id);
        else
            try_finding(&k);
        if (k.is_found)
            hit = p;
    }
    hd_model_release(&st);
    if (hit)
        hit->used++;
    return hit;
}

struct hd_suppression *hd_suppress_note(struct hd_suppressions *s, const struct hd_note *n,
                                        struct hd_symbols *sym)
{
    const char *type = n->kind == HD_NOTE_EXIT_HOLDING ? "mutex" : "thread";
    struct hd_finding none = {0};
    struct hd_model st = {.f = &none, .s = sym};
    for (size_t i = 0; s && i < s->v.n; i++) {
        struct hd_suppression *p = &s->v.at[i];
        struct query k = {p->pattern, types[p->type].where, &st, false};
        if (strcmp(types[p->type].name, type))
            continue;
        try_site(&k, n->site);
        if (n->obj)
            try_object(&k, n->obj);
        if (k.is_found) {
            p->used++;
            return p;
        }
    }
    return NULL;
}

/* ---- a suggestion ------------------------------------------------------------------------ */

/* Would a line with this name hide this failure and its like, and not much more? Names of
 * main and test bodies, of lambdas and operators, and those a pattern would cut, do not. */
static bool is_narrow(const struct hd_srcloc *l)
{
    const char *name = l->function, *last = name;
    if (!name || !hd_model_is_users(l) || strlen(name) > 120 || strpbrk(name, "*$^({"))
        return false;
    for (const char *p = name; (p = strstr(p, "::")); p += 2)
        last = p + 2;
    return strcmp(name, "main") && strncmp(last, "operator", 8) && strcmp(last, "TestBody");
}

/* Of a race its two accesses count, not where the run ended: the function of one of them, or the
 * variable. */
static bool suggest_race(struct hd_model *st, char *buf, size_t size)
{
    char name[120];
    struct hd_srcloc l;
    for (u32 k = hd_race_accesses(&st->f->race); k-- > 0;) {
        u32 i = hd_race_find(st->f, k);
        if (i == ~0u || hd_symbols_code(st->s, st->f->events[i].site, true, &l, 1) < 1 || !is_narrow(&l))
            continue;
        snprintf(buf, size, "race:^%s$", l.function);
        return true;
    }
    u32 i = hd_race_find(st->f, 0);
    if (i == ~0u || !hd_symbols_data(st->s, st->f->events[i].obj, name, sizeof name, NULL) || strpbrk(name, "*$^({["))
        return false;
    snprintf(buf, size, "race:^%s$", name);
    return true;
}

bool hd_suppress_suggest(const struct hd_finding *f, struct hd_symbols *sym, char *buf, size_t size)
{
    const char *kind = hd_finding_kind(f);
    struct hd_refined r;
    struct hd_model st;
    struct hd_srcloc l;
    bool is_any = false;
    hd_model_init(&st, f, sym);
    if (hd_race_is(f)) {
        is_any = suggest_race(&st, buf, size);
        hd_model_release(&st);
        return is_any;
    }
    hd_refine(f, &r);
    u16 tid = r.n                                                  ? r.tid[0]
              : f->verdict.kind == HD_V_DEADLOCK && st.cycle.n ? st.cycle.tid[0]
                                                                   : f->verdict.tid;
    for (u32 i = 0; i < HD_COUNT(types) && !is_any; i++) {
        struct hd_suppression p = {.type = (u8)i};
        if (!types[i].kinds || !is_for(&p, kind) || !hd_model_where(&st, tid, &l) || !is_narrow(&l))
            continue;
        snprintf(buf, size, "%s:^%s$", types[i].name, l.function);
        is_any = true;
    }
    hd_model_release(&st);
    return is_any;
}
