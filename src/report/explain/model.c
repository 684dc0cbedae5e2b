/* model.c: sets a finding up for telling: locks held at the end, stacks as
 * source positions, the place an assertion names. */
#include "report/explain/model.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* C++ compilers, and clang for C too, name the whole declaration, "int ns::f(int) [with
 * T = int]": what counts is "ns::f". In place. */
static void keep_name(char *text)
{
    char *from = text, *p = text;
    int depth = 0;
    for (; *p; p++) {
        if (!strncmp(p, "operator", 8) && depth == 0) {
            p += 8;
            p += strncmp(p, "()", 2) ? strcspn(p, "(") : 2;
            break;
        }
        if (!strncmp(p, "(anonymous namespace)", 21) || !strncmp(p, "{anonymous}", 11)) {
            p += *p == '(' ? 20 : 10;
            continue;
        }
        depth += (*p == '<') - (*p == '>' && depth > 0);
        if (depth == 0 && *p == '(')
            break;
        if (depth == 0 && (*p == ' ' || *p == '*' || *p == '&'))
            from = p + 1;
    }
    if (!*p)
        return;
    *p = 0;
    memmove(text, from, strlen(from) + 1);
}

/* "[prog: ]file:line: [function: ]Assertion `expr' failed." */
static void read_assertion(struct hd_model *st)
{
    const char *msg = st->f->verdict.msg;
    const char *text = strstr(msg, "Assertion `");
    if (st->f->verdict.kind != HD_V_ASSERT || !text)
        return;
    const char *expr = text + strlen("Assertion `"), *end = expr;
    for (const char *p = expr; (p = strchr(p, '\'')); p++)
        end = p;
    size_t n = end > expr ? (size_t)(end - expr) : strlen(expr);
    snprintf(st->assert_text, sizeof st->assert_text, "%.*s", (int)HD_MIN(n, (size_t)399), expr);

    char head[512];
    snprintf(head, sizeof head, "%.*s", (int)(text - msg), msg);
    for (char *p = head; (p = strchr(p, ':')); p++) {
        char *after;
        long line = strtol(p + 1, &after, 10);
        if (after == p + 1 || line <= 0 || *after != ':')
            continue;
        *p = 0;
        char *colon = strstr(head, ": "); /* glibc puts the program's name first */
        snprintf(st->assert_file, sizeof st->assert_file, "%.255s", colon ? colon + 2 : head);
        st->assert_line = (int)line;
        char *function = after + 1 + (after[1] == ' ');
        char *stop = strstr(function, ": ");
        if (stop) {
            *stop = 0;
            keep_name(function);
            snprintf(st->assert_function, sizeof st->assert_function, "%.127s", function);
        }
        return;
    }
}

/* Where a circle is entered is chance; reports begin with its lowest thread. */
static void rotate_cycle(struct hd_model *st)
{
    const struct hd_cycle *c = &st->f->verdict.cycle;
    u32 low = 0, n = HD_MIN(c->n, (u32)HD_COUNT(c->tid));
    st->cycle = *c;
    st->cycle.n = n;
    for (u32 i = 0; i < n && c->is_cycle; i++)
        if (c->tid[i] < c->tid[low])
            low = i;
    for (u32 i = 0; i < n; i++) {
        st->cycle.tid[i] = c->tid[(low + i) % n];
        st->cycle.obj[i] = c->obj[(low + i) % n];
    }
}

void hd_model_init(struct hd_model *st, const struct hd_finding *f, struct hd_symbols *s)
{
    memset(st, 0, sizeof *st);
    st->f = f;
    st->s = s;
    if (!getcwd(st->cwd, sizeof st->cwd))
        st->cwd[0] = 0;
    for (u32 i = 0; i < f->n_events; i++)
        hd_held_step(&st->held, f, i);
    rotate_cycle(st);
    read_assertion(st);
    if (!f->decided.is) /* no need to guess */
        hd_suspect_find(st);
}

void hd_model_release(struct hd_model *st) { hd_held_release(&st->held); }

const struct hd_finding_thread *hd_model_thread(const struct hd_model *st, u16 tid)
{
    for (u32 i = 0; i < st->f->n_threads; i++)
        if (st->f->threads[i].tid == tid)
            return &st->f->threads[i];
    return NULL;
}

static const char *base_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static bool is_runtime(const struct hd_srcloc *l)
{
    const char *base = base_of(l->module);
    return base && (!strncmp(base, "libtsan.so", 10) || !strncmp(base, "libclang_rt.tsan", 16));
}

bool hd_model_is_users(const struct hd_srcloc *l)
{
    static const char *const frameworks[] = {"testing::", "Catch::", "doctest::", "boost::"};
    for (size_t i = 0; i < HD_COUNT(frameworks); i++)
        if (l->function && !strncmp(l->function, frameworks[i], strlen(frameworks[i])))
            return false;
    return !hd_symbols_is_system(l->module) &&
           !(l->file && (!strncmp(l->file, "/usr/include/", 13) ||
                         !strncmp(l->file, "/usr/lib/", 9) || strstr(l->file, "/include/c++/")));
}

/* Puts the position of the failed assertion in front: libc's frames between
 * it and abort() say nothing. */
static u32 put_assertion(const struct hd_model *st, struct hd_srcloc *out, u32 n, u32 max)
{
    u32 drop = 0;
    while (drop < n && hd_symbols_is_system(out[drop].module))
        drop++;
    memmove(out, out + drop, (n - drop) * sizeof *out);
    n -= drop;
    if (!st->assert_line || max == 0)
        return n;
    if (n && out[0].line == st->assert_line && out[0].file &&
        !strcmp(base_of(out[0].file), base_of(st->assert_file)))
        return n;
    n = HD_MIN(n, max - 1);
    memmove(out + 1, out, n * sizeof *out);
    out[0] = (struct hd_srcloc){
        .function = st->assert_function[0] ? st->assert_function : NULL,
        .file = st->assert_file, .line = st->assert_line,
        .dir = n ? out[1].dir : NULL, .module = n ? out[1].module : NULL,
    };
    return n + 1;
}

/* Where the thread did its last recorded step in the user's code. */
static u32 last_seen(const struct hd_model *st, u16 tid, struct hd_srcloc *out, u32 max)
{
    const struct hd_finding *f = st->f;
    for (u32 i = f->n_events; i-- > 0 && max;) {
        if (f->events[i].tid != tid || !f->events[i].site)
            continue;
        hd_model_site(st, f->events[i].site, out);
        if (hd_model_is_users(out))
            return 1;
    }
    return 0;
}

/* Does the innermost instrumented function call what is at frames[0]? Then that call is
 * a frame of its own. */
static bool is_caller(const struct hd_model *st, const struct hd_finding_thread *t)
{
    u64 here, call;
    if (!t->call_site || !t->n_frames || t->is_guess || t->call_site == t->frames[0])
        return false;
    if (hd_symbols_function(st->s, t->frames[0] - !t->is_exact, &here) &&
        hd_symbols_function(st->s, t->call_site - 1, &call))
        return here != call;
    struct hd_srcloc a, b;
    hd_symbols_code(st->s, t->frames[0], !t->is_exact, &a, 1);
    hd_symbols_code(st->s, t->call_site, true, &b, 1);
    return b.module && a.module != b.module;
}

static u32 one_frame(const struct hd_model *st, u64 pc, bool is_return, struct hd_srcloc *out,
                     u32 max)
{
    u32 n = (u32)hd_symbols_code(st->s, pc, is_return, out, (int)max);
    return n && is_runtime(&out[0]) ? 0 : n;
}

u32 hd_model_frames(const struct hd_model *st, const struct hd_finding_thread *t,
                    struct hd_srcloc *out, u32 max)
{
    u32 n = 0;
    if (!t->tid && hd_model_has_returned(st))
        return 0; /* from main: where it was last seen is over */
    for (u32 i = 0; i < t->n_frames && n < max; i++) {
        n += one_frame(st, t->frames[i], !(i == 0 && t->is_exact), out + n, max - n);
        if (i == 0 && n < max && is_caller(st, t))
            n += one_frame(st, t->call_site, true, out + n, max - n);
    }
    const struct hd_verdict *v = &st->f->verdict;
    if (v->kind == HD_V_ASSERT && t->tid == v->tid)
        n = put_assertion(st, out, n, max);
    u32 users = n;
    while (users > 0 && !hd_model_is_users(&out[users - 1]))
        users--;
    if (!users && t->is_guess)
        return last_seen(st, t->tid, out, max);
    return HD_MAX(users, HD_MIN(n, 1u));
}

void hd_model_site(const struct hd_model *st, u64 site, struct hd_srcloc *out)
{
    struct hd_srcloc l[16];
    int n = hd_symbols_code(st->s, site, true, l, 16), pick = 0;
    for (int i = n; i-- > 0;)
        if (hd_model_is_users(&l[i]))
            pick = i;
    *out = l[pick];
}

bool hd_model_where(const struct hd_model *st, u16 tid, struct hd_srcloc *out)
{
    struct hd_srcloc l[64];
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    u32 n = t ? hd_model_frames(st, t, l, 64) : 0;
    for (u32 i = 0; i < n; i++)
        if (hd_model_is_users(&l[i])) {
            *out = l[i];
            return true;
        }
    if (n)
        *out = l[0];
    return n > 0;
}

bool hd_model_created(const struct hd_model *st, u16 tid, struct hd_srcloc *out)
{
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    u32 n = 0;
    while (t && tid && n < HD_CREATE_FRAMES && t->create_pc[n])
        n++;
    for (u32 i = 0; i < n; i++) {
        struct hd_srcloc l[16];
        int got = hd_symbols_code(st->s, t->create_pc[i], true, l, 16);
        for (int k = 0; k < got; k++)
            if (hd_model_is_users(&l[k]) && l[k].file && l[k].line) {
                *out = l[k];
                return true;
            }
    }
    if (!t || !tid || !t->create_site)
        return false;
    hd_model_site(st, t->create_site, out);
    return hd_model_is_users(out);
}

bool hd_model_is_free(const struct hd_finding *f, u32 event)
{
    const struct hd_event *e = &f->events[event];
    return e->kind == HD_EV_WRITE && event + 1 < f->n_events && e[1].kind == HD_EV_FREE &&
           e[1].tid == e->tid && e[1].site == e->site && e[1].obj == e->obj;
}

bool hd_model_has_address(const struct hd_verdict *v)
{
    enum { FROM_KERNEL = 0x80 }; /* SI_KERNEL */
    return v->code != FROM_KERNEL && v->signo != SIGABRT;
}

bool hd_model_has_returned(const struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    const struct hd_finding_thread *t = hd_model_thread(st, 0);
    struct hd_srcloc l = {0};
    if (f->verdict.kind != HD_V_EXIT || f->verdict.tid || !t || t->n_frames > 1)
        return false;
    if (f->verdict.pc) /* of libc's call of exit() with what main returned */
        hd_symbols_code(st->s, f->verdict.pc, true, &l, 1);
    return f->stats.instrumented && hd_symbols_is_system(l.module);
}

/* Libraries initialize themselves: nobody looks for that. */
static bool is_internal(const struct hd_model *st, const struct hd_event *e)
{
    struct hd_srcloc l;
    if (e->kind != HD_EV_ONCE_BEGIN && e->kind != HD_EV_ONCE_END)
        return false;
    hd_symbols_code(st->s, e->site, true, &l, 1);
    return l.module && hd_symbols_is_system(l.module);
}

bool hd_model_is_visible(const struct hd_model *st, u32 event)
{
    if (hd_model_is_free(st->f, event) || is_internal(st, &st->f->events[event]))
        return false;
    const struct hd_event *e = &st->f->events[event];
    if (e->kind == HD_EV_FREE && event && hd_model_is_free(st->f, event - 1))
        return true;
    if (e->kind == HD_EV_FREE || e->kind == HD_EV_ALLOC)
        return st->f->verdict.kind == HD_V_HEAP && e->obj == st->f->verdict.heap.block;
    if (hd_space_of(e->kind) == HD_SPACE_NONE)
        return e->kind == HD_EV_YIELD || e->kind == HD_EV_SLEEP;
    return hd_space_of(e->kind) != HD_SPACE_NOTE;
}
