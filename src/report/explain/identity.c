/* identity.c: one id per cause: the same over seeds, threads and edits that move lines,
 * and another one for another cause.
 *
 *   id = class of kind + program + places in the user's code + class of the message
 *
 * Places are function names, file names and source text, never lines or offsets. What
 * varies with the schedule does not count: numbers in messages, which of several equal
 * threads it was, who else was blocked as a consequence. So of what stands still only
 * those count that nobody in the list holds up, and by the monitor they wait in: a
 * queue's consumer and its producer are stuck for the same reason. Messages count only
 * where there is no place: another thread may have written the last line.
 */
#include "report/finding.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "report/expectation.h"
#include "report/explain/race.h"
#include "report/explain/refine.h"
#include "report/explain/model.h"

#define START 0xcbf29ce484222325u
#define MAX_PARTS 64
#define MAX_EVENTS 4096  /* looked at, from the end */

static u64 mix(u64 h, const char *text)
{
    for (const char *p = text ? text : "?"; *p; p++)
        h = (h ^ (u8)*p) * 0x100000001b3u;
    return (h ^ 0xff) * 0x100000001b3u;
}

static const char *base_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* ---- sets: neither order nor number counts -------------------------------------- */

struct set {
    u64 part[MAX_PARTS];
    u32 n;
};

static void add(struct set *s, u64 part)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->part[i] == part)
            return;
    if (s->n < MAX_PARTS)
        s->part[s->n++] = part;
}

static u64 mix_set(u64 h, const struct set *s)
{
    u64 sum = 0;
    for (u32 i = 0; i < s->n; i++)
        sum += s->part[i];
    return (h ^ sum) * 0x100000001b3u;
}

/* One part stands for all: where two bugs show in one run it is one of the two, not a
 * third. Which one does not depend on threads or order. */
static u64 mix_least(u64 h, const struct set *s)
{
    u64 least = ~(u64)0;
    for (u32 i = 0; i < s->n; i++)
        least = HD_MIN(least, s->part[i]);
    return (h ^ least) * 0x100000001b3u;
}

/* ---- text ------------------------------------------------------------------------- */

/* The line without what differs from run to run: numbers and addresses. */
static u64 mix_masked(u64 h, const char *text, size_t n)
{
    char out[512];
    size_t k = 0;
    for (size_t i = 0; i < n && k + 1 < sizeof out;) {
        if (!isdigit((u8)text[i])) {
            out[k++] = text[i++];
            continue;
        }
        bool is_hex = text[i] == '0' && i + 1 < n && text[i + 1] == 'x';
        for (i += is_hex ? 2 : 0; i < n && (is_hex ? isxdigit((u8)text[i]) : isdigit((u8)text[i]));)
            i++;
        out[k++] = '#';
    }
    out[k] = 0;
    return mix(h, out);
}

/* The first line that names a failed test, as test frameworks write it. */
static bool failed_test(const char *text, const char **from, size_t *n)
{
    for (const char *p = text; p && *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t len = strcspn(p, "\n");
        const char *fail = memmem(p, len, "FAIL", 4);
        if (fail || !strncmp(p, "not ok", 6)) {
            *from = p;
            *n = len;
            return true;
        }
    }
    return false;
}

static bool last_line(const char *text, size_t len, const char **from, size_t *n)
{
    const char *end = text ? text + len : NULL;
    while (end && end > text && isspace((u8)end[-1]))
        end--;
    const char *p = end;
    while (p && p > text && p[-1] != '\n')
        p--;
    *from = p;
    *n = (size_t)(end - p);
    return end && end > p;
}

/* What the program said about it. */
static u64 mix_message(u64 h, const struct hd_finding *f)
{
    const char *from;
    size_t n;
    char text[256];
    if (hd_model_exception(f, text, sizeof text))
        return mix_masked(h, text, strlen(text));
    if (failed_test(f->out, &from, &n) || failed_test(f->err, &from, &n) ||
        last_line(f->err, f->err_len, &from, &n))
        return mix_masked(h, from, n);
    if (f->verdict.kind == HD_V_EXIT && last_line(f->out, f->out_len, &from, &n))
        return mix_masked(h, from, n);
    return h;
}

/* ---- places ----------------------------------------------------------------------- */

static u64 mix_function(u64 h, const struct hd_srcloc *l)
{
    if (l->function)
        return mix(mix(h, l->function), base_of(l->file));
    char offset[32];
    snprintf(offset, sizeof offset, "+0x%llx", (unsigned long long)l->offset);
    return mix(mix(h, base_of(l->module)), offset);
}

/* Function and the text of the line. */
static u64 mix_line(u64 h, const struct hd_model *st, const struct hd_srcloc *l)
{
    const char *text = hd_symbols_source(st->s, l);
    h = mix_function(h, l);
    return text ? mix(h, text) : h;
}

/* The `n` innermost frames of a stack that are the user's, else its innermost. */
static u64 mix_stack(u64 h, const struct hd_model *st, const struct hd_finding_thread *t, u32 n)
{
    struct hd_srcloc l[64];
    u32 got = t ? hd_model_frames(st, t, l, 64) : 0, used = 0;
    for (u32 i = 0; i < got && used < n; i++)
        if (hd_model_is_users(&l[i])) {
            h = mix_line(h, st, &l[i]);
            used++;
        }
    return !used && got ? mix_function(h, &l[0]) : h;
}

static u64 mix_where(u64 h, const struct hd_model *st, u16 tid, u32 n)
{
    return mix_stack(h, st, hd_model_thread(st, tid), n);
}

/* The function alone. */
static u64 mix_in(u64 h, const struct hd_model *st, u16 tid)
{
    struct hd_srcloc l;
    return hd_model_where(st, tid, &l) ? mix_function(h, &l) : h;
}

/* The innermost of a recorded stack in the user's code. */
static u64 mix_heap_place(u64 h, const struct hd_model *st, const struct hd_heap_place *p,
                          bool with_text)
{
    struct hd_finding_thread t = {.tid = HD_NO_THREAD, .n_frames = p->n, .frames = (u64 *)p->pc};
    struct hd_srcloc l[64];
    u32 n = p->n ? hd_model_frames(st, &t, l, 64) : 0;
    for (u32 i = 0; i < n; i++)
        if (hd_model_is_users(&l[i]))
            return with_text ? mix_line(h, st, &l[i]) : mix_function(h, &l[i]);
    return n ? mix_function(h, &l[0]) : h;
}

/* ---- objects ---------------------------------------------------------------------- */

/* "table[3].lock" -> "table[].lock": which element it was is chance. */
static u64 mix_name(u64 h, const char *name)
{
    char out[512];
    size_t k = 0;
    for (const char *p = name; *p && k + 2 < sizeof out; p++) {
        out[k++] = *p;
        if (*p == '[')
            p += strspn(p + 1, "0123456789");
    }
    out[k] = 0;
    return mix(h, out);
}

/* The class whose function this is, by its name: "queue<int>::pop" -> "queue<int>". */
static bool class_of(const char *function, char *buf, size_t size)
{
    const char *last = NULL;
    int depth = 0;
    for (const char *p = function; p && *p; p++) {
        depth += (*p == '<') - (*p == '>');
        if (!depth && !strncmp(p, "::", 2))
            last = p;
    }
    if (!last || !strcmp(last, "::{lambda}"))
        return false;
    snprintf(buf, size, "%.*s", (int)(last - function), function);
    return true;
}

/* A lock, condition, ... without a name of its own: by the class of the code that uses
 * it, by where it was allocated, by the function. */
static u64 mix_unnamed(u64 h, const struct hd_model *st, u64 obj, const struct hd_srcloc *where)
{
    const struct hd_finding *f = st->f;
    char class[512];
    if (where && class_of(where->function, class, sizeof class))
        return mix(h, class);
    for (u32 i = f->n_events; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        struct hd_srcloc l;
        if (e->kind != HD_EV_ALLOC || obj - e->obj >= HD_MAX(e->arg, 1u))
            continue;
        hd_model_site(st, e->site, &l);
        if (hd_model_is_users(&l))
            return mix_function(h, &l);
    }
    return where ? mix_function(h, where) : mix(h, "unnamed");
}

/* An object by what the source calls it. With `as_monitor` members of one struct are one:
 * its type. */
static u64 mix_object(u64 h, const struct hd_model *st, u64 obj, bool as_monitor,
                      const struct hd_srcloc *where)
{
    char name[512];
    if (as_monitor && hd_symbols_container(st->s, obj, name, sizeof name))
        return mix(h, name);
    if (hd_symbols_data(st->s, obj, name, sizeof name, NULL))
        return mix_name(h, name);
    return mix_unnamed(h, st, obj, where);
}

/* ---- blocked ---------------------------------------------------------------------- */

/* The mutex that the condition wait of `tid` gave up; 0 if not known. */
static u64 mutex_of(const struct hd_finding *f, u16 tid)
{
    for (u32 i = f->n_events; i-- > 1;)
        if (f->events[i].tid == tid && f->events[i].kind == HD_EV_COND_WAIT)
            return f->events[i - 1].kind == HD_EV_UNLOCK && f->events[i - 1].tid == tid
                       ? f->events[i - 1].obj
                       : 0;
    return 0;
}

static bool is_cond(u8 kind)
{
    return kind == HD_EV_COND_WAIT || kind == HD_EV_COND_WAKE;
}

/* Is the thread held up by another one of those that stand still? */
static bool is_consequence(const struct hd_model *st, const struct hd_finding_thread *t, u64 obj)
{
    if (t->op_kind == HD_EV_JOIN)
        return true;
    if (hd_event_class(t->op_kind) != HD_CLASS_ACQ)
        return false;
    const struct hd_held *h = hd_held_find(&st->held, obj, HD_NO_THREAD);
    const struct hd_finding_thread *owner = h ? hd_model_thread(st, h->tid) : NULL;
    return owner && h->tid != t->tid && owner->state != HD_T_FINISHED;
}

static u64 wait_part(struct hd_model *st, const struct hd_finding_thread *t, u64 obj)
{
    struct hd_srcloc l;
    bool is_placed = hd_model_where(st, t->tid, &l);
    u64 mutex = is_cond(t->op_kind) ? mutex_of(st->f, t->tid) : 0, h;
    char name[512];
    if (mutex) {
        h = mix_object(mix(START, "monitor"), st, mutex, true, is_placed ? &l : NULL);
        /* globals apart: each condition is one of its own */
        if (hd_symbols_data(st->s, mutex, name, sizeof name, NULL) &&
            !hd_symbols_container(st->s, mutex, name, sizeof name))
            h = mix_object(h, st, obj, false, NULL);
        return h;
    }
    h = mix_object(mix(START, "wait"), st, obj, false, is_placed ? &l : NULL);
    return is_placed ? mix_function(h, &l) : h;
}

/* Nobody waits for nobody: those that hold up the others. */
static u64 mix_stuck(u64 h, struct hd_model *st)
{
    const struct hd_cycle *c = &st->cycle;
    struct set parts = {0};
    for (int pass = 0; pass < 2 && !parts.n; pass++)
        for (u32 i = 0; i < c->n; i++) {
            const struct hd_finding_thread *t = hd_model_thread(st, c->tid[i]);
            if (t && (pass || !is_consequence(st, t, c->obj[i])))
                add(&parts, wait_part(st, t, c->obj[i]));
        }
    return mix_least(h, &parts);
}

/* Of every thread in the cycle: the function it stands in and the lock it wants. */
static u64 mix_cycle(u64 h, struct hd_model *st)
{
    const struct hd_cycle *c = &st->cycle;
    struct set parts = {0};
    for (u32 i = 0; i < c->n; i++) {
        struct hd_srcloc l;
        bool is_placed = hd_model_where(st, c->tid[i], &l);
        add(&parts, mix_object(mix(START, "lock"), st, c->obj[i], true, is_placed ? &l : NULL));
        if (is_placed)
            add(&parts, mix_function(mix(START, "function"), &l));
    }
    return mix_set(h, &parts);
}

/* Who goes round for ever, and about what. */
static u64 mix_spin(u64 h, const struct hd_model *st, const struct hd_refined *r)
{
    struct set parts = {0};
    for (u32 i = 0; i < r->n; i++) {
        const struct hd_event *e = &st->f->events[r->event[i]];
        struct hd_srcloc l;
        hd_model_site(st, e->site, &l);
        if (!hd_model_is_users(&l))
            hd_model_where(st, e->tid, &l);
        add(&parts, mix_function(mix_object(START, st, e->obj, false, &l), &l));
    }
    return mix_least(h, &parts);
}

static u64 mix_blocked(u64 h, struct hd_model *st)
{
    struct hd_refined r;
    hd_refine(st->f, &r);
    if (st->f->verdict.kind != HD_V_DEADLOCK)
        return r.kind ? mix_spin(h, st, &r) : mix_where(h, st, st->f->verdict.tid, 1);
    return st->cycle.is_cycle ? mix_cycle(h, st) : mix_stuck(h, st);
}

/* ---- the others -------------------------------------------------------------------- */

static u64 mix_heap(u64 h, const struct hd_model *st)
{
    const struct hd_heap_report *r = &st->f->verdict.heap;
    static const char *const class[] = {
        [HD_HEAP_READ_FREED] = "freed", [HD_HEAP_WRITE_FREED] = "freed",
        [HD_HEAP_READ_OVERFLOW] = "past", [HD_HEAP_WRITE_OVERFLOW] = "past",
        [HD_HEAP_READ_WILD] = "wild", [HD_HEAP_WRITE_WILD] = "wild",
        [HD_HEAP_DOUBLE_FREE] = "double free", [HD_HEAP_INVALID_FREE] = "invalid free",
    };
    h = mix(h, r->kind < HD_COUNT(class) ? class[r->kind] : NULL);
    if (!r->alloc.n)
        return mix_where(h, st, st->f->verdict.tid, 1);
    /* which of several uses comes first is chance: the function, and the block */
    h = mix_heap_place(h, st, &r->alloc, true);
    return r->use.n ? mix_heap_place(h, st, &r->use, false)
                    : mix_where(h, st, st->f->verdict.tid, 1);
}

static u64 mix_misuse(u64 h, const struct hd_model *st)
{
    const struct hd_misuse *m = &st->f->verdict.misuse;
    char number[32];
    struct hd_srcloc l;
    snprintf(number, sizeof number, "%u", m->kind);
    if (m->kind >= HD_MISUSE_LEAK) {
        hd_model_site(st, m->site, &l);
        return mix_line(mix(h, number), st, &l);
    }
    if (!hd_model_where(st, m->tid, &l))
        hd_model_site(st, m->site, &l);
    return mix_line(mix_object(mix(h, number), st, m->obj, false, &l), st, &l);
}

/* The program ended itself: the place, and the one that led there (many programs have a
 * function that does it for all), else what it said. */
static u64 mix_end(u64 h, const struct hd_model *st)
{
    struct hd_srcloc l;
    struct hd_expectation e;
    if (st->f->verdict.kind == HD_V_EXIT && hd_expectation_find(st->f, &e)) {
        h = mix(mix(h, e.test), base_of(e.file)); /* not the line: edits move it */
        return mix_masked(h, e.text, strlen(e.text));
    }
    u16 tid = st->f->verdict.tid;
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    bool is_placed = t && !t->is_guess && !hd_model_has_returned(st) &&
                     hd_model_where(st, tid, &l) && hd_model_is_users(&l);
    return is_placed ? mix_stack(h, st, t, 2) : mix_message(h, st->f);
}

/* The variable and the two places, in whatever order they came. */
static u64 mix_race(u64 h, const struct hd_model *st)
{
    struct set parts = {0};
    for (u32 k = 0; k < hd_race_accesses(&st->f->race); k++) {
        u32 i = hd_race_find(st->f, k);
        struct hd_srcloc l;
        if (i == ~0u)
            continue;
        hd_model_site(st, st->f->events[i].site, &l);
        add(&parts, mix_line(mix_object(START, st, st->f->events[i].obj, false, &l), st, &l));
    }
    return mix_set(h, &parts);
}

static u64 mix_kind(u64 h, struct hd_model *st)
{
    const struct hd_verdict *v = &st->f->verdict;
    char number[32];
    if (hd_race_is(st->f))
        return mix_race(h, st);
    switch (v->kind) {
    case HD_V_DEADLOCK: case HD_V_HANG: case HD_V_TIMEOUT:
        return mix_blocked(h, st);
    case HD_V_OUTPUT: /* where it differs first may vary */
        return h;
    case HD_V_CHECK:
        if (!v->pc) /* the host's; what it said may vary behind the first line */
            return mix_masked(h, v->msg, strcspn(v->msg, "\n"));
        return mix_where(mix(h, v->msg), st, v->tid, 1);
    case HD_V_ASSERT:
        if (st->assert_text[0]) /* the text of its line */
            return mix_in(mix(h, st->assert_text), st, v->tid);
        return mix_end(h, st);
    case HD_V_SIGNAL:
        if (v->signo != SIGSEGV && v->signo != SIGBUS)
            h = mix(h, hd_name_signal(v->signo));
        return mix_where(h, st, v->tid, 1);
    case HD_V_EXIT:
        snprintf(number, sizeof number, "%d", v->status);
        return mix_end(mix(h, number), st);
    case HD_V_HEAP:
        return mix_heap(h, st);
    case HD_V_MISUSE:
        return mix_misuse(h, st);
    default:
        return mix_where(h, st, v->tid, 1);
    }
}

static const char *class_name(const struct hd_finding *f)
{
    switch (f->verdict.kind) {
    case HD_V_DEADLOCK: case HD_V_HANG: case HD_V_TIMEOUT:
        return "blocked";
    default:
        return hd_finding_kind(f);
    }
}

void hd_finding_identify(struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_model st;
    const char *class = class_name(f);
    struct hd_finding end = *f; /* the same of long runs and short ones, seen or replayed */
    u32 n = hd_race_is(f) ? f->n_events : HD_MIN(f->n_events, (u32)MAX_EVENTS);
    end.events += f->n_events - n;
    end.n_events = n;
    end.details = NULL;
    hd_model_init(&st, &end, s);
    u64 h = mix_kind(mix(mix(START, class), base_of(f->program)), &st);
    hd_model_release(&st);
    snprintf(f->id, sizeof f->id, "%.12s-%08x", class, (u32)(h ^ h >> 32));
}
