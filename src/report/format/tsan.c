/* tsan.c: findings in the words of ThreadSanitizer, for tools that read its reports: data races,
 * deadlocks by locks, what signal handlers must not do, threads left over. What it cannot say (both
 * orders, what comes of them) is in a line of its own that such tools pass over. Other findings
 * have no such text. */
#include "report/explain/race.h"

#include <string.h>
#include <unistd.h>

#define FRAMES 16

static void print_frame(FILE *to, struct hd_model *st, u64 pc, bool is_return, u32 *n)
{
    struct hd_srcloc l[FRAMES];
    int found = hd_symbols_code(st->s, pc, is_return, l, FRAMES);
    for (int i = 0; i < HD_MAX(found, 1); i++) {
        const char *module = l[i].module ? strrchr(l[i].module, '/') : NULL;
        fprintf(to, "    #%u %s ", (*n)++, l[i].function ? l[i].function : "<null>");
        if (l[i].file)
            fprintf(to, "%s%s%s:%d ", l[i].file[0] != '/' && l[i].dir ? l[i].dir : "",
                    l[i].file[0] != '/' && l[i].dir ? "/" : "", l[i].file, l[i].line);
        else
            fprintf(to, "<null> ");
        fprintf(to, "(%s+0x%llx)\n", module ? module + 1 : l[i].module ? l[i].module : "?",
                (unsigned long long)l[i].offset);
    }
}

static void print_thread_name(FILE *to, u16 tid)
{
    if (tid)
        fprintf(to, "thread T%u", tid);
    else
        fprintf(to, "main thread");
}

static void print_access(FILE *to, struct hd_model *st, u32 i, bool is_later)
{
    const struct hd_event *e = &st->f->events[i];
    const struct hd_detail *d = hd_model_detail(st, i);
    u32 effects = hd_effects(e), n = 0;
    fprintf(to, "  %s%s%s of size %u at 0x%012llx by ", is_later ? "" : "Previous ",
            effects & HD_ATOMIC ? is_later ? "Atomic " : "atomic " : "",
            effects & HD_WRITES ? is_later && !(effects & HD_ATOMIC) ? "Write" : "write"
            : is_later && !(effects & HD_ATOMIC) ? "Read"
                                                 : "read",
            e->size, (unsigned long long)e->obj);
    print_thread_name(to, e->tid);
    fprintf(to, ":\n");
    print_frame(to, st, e->site, true, &n);
    for (u32 k = 0; d && k < HD_MIN(d->n_callers, (u32)HD_DETAIL_CALLERS); k++)
        print_frame(to, st, d->caller[k], true, &n);
    fputc('\n', to);
}

/* The block that the access is in: what was allocated there last. */
static u32 block_of(const struct hd_finding *f, u32 i)
{
    u64 at = f->events[i].obj;
    while (i-- > 0)
        if (f->events[i].kind == HD_EV_ALLOC && at - f->events[i].obj < f->events[i].arg)
            return i;
    return ~0u;
}

static void print_location(FILE *to, struct hd_model *st, u32 i)
{
    const struct hd_event *e = &st->f->events[i];
    u32 n = 0, block = block_of(st->f, i);
    char name[320];
    if (hd_symbols_data(st->s, e->obj, name, sizeof name, NULL)) {
        fprintf(to, "  Location is global '%s' of size %u at 0x%012llx\n\n", name, e->size,
                (unsigned long long)e->obj);
    } else if (block != ~0u) {
        const struct hd_event *a = &st->f->events[block];
        fprintf(to, "  Location is heap block of size %u at 0x%012llx allocated by ", a->arg,
                (unsigned long long)a->obj);
        print_thread_name(to, a->tid);
        fprintf(to, ":\n");
        print_frame(to, st, a->site, true, &n);
        fputc('\n', to);
    }
}

static void print_created(FILE *to, struct hd_model *st, u16 tid)
{
    for (u32 i = 0; tid && i < st->f->n_events; i++) {
        const struct hd_event *e = &st->f->events[i];
        u32 n = 0;
        if (e->kind != HD_EV_CREATE || e->obj != tid)
            continue;
        fprintf(to, "  Thread T%u (tid=%u, running) created by ", tid, tid);
        print_thread_name(to, e->tid);
        fprintf(to, " at:\n    #%u pthread_create <null> (libtsan.so.2+0x0)\n", n++);
        print_frame(to, st, e->site, true, &n);
        fputc('\n', to);
        return;
    }
}

static void print_end(FILE *to, const struct hd_finding *f, const char *what, const char *more,
                      const struct hd_srcloc *l)
{
    fprintf(to, "  Heddle: %s: %s\n\n", f->id, more);
    fprintf(to, "SUMMARY: ThreadSanitizer: %s %s:%d in %s\n==================\n", what,
            l->file ? l->file : "<null>", l->line, l->function ? l->function : "<null>");
}

static void print_begin(FILE *to, const char *what)
{
    fprintf(to, "==================\nWARNING: ThreadSanitizer: %s (pid=%d)\n", what, (int)getpid());
}

static void print_stack(FILE *to, struct hd_model *st, u16 tid)
{
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    u32 n = 0;
    for (u32 i = 0; t && i < t->n_frames && i < FRAMES; i++)
        print_frame(to, st, t->frames[i], i || !t->is_exact, &n);
    fputc('\n', to);
}

static bool is_lock(u8 kind) { return hd_space_of(kind) == HD_SPACE_MUTEX || hd_space_of(kind) == HD_SPACE_RWLOCK; }

/* Each thread of the circle wants the lock that the next one holds. */
static bool report_deadlock(FILE *to, struct hd_model *st)
{
    static const char what[] = "lock-order-inversion (potential deadlock)";
    const struct hd_cycle *c = &st->f->verdict.cycle;
    struct hd_srcloc l = {0};
    for (u32 i = 0; i < c->n; i++) {
        const struct hd_finding_thread *t = hd_model_thread(st, c->tid[i]);
        if (!t || !is_lock(t->op_kind))
            return false;
    }
    if (!c->is_cycle || c->n < 2)
        return false;
    print_begin(to, what);
    fprintf(to, "  Cycle in lock order graph: ");
    for (u32 i = 0; i <= c->n; i++)
        fprintf(to, "M%u (0x%012llx)%s", i % c->n, (unsigned long long)c->obj[i % c->n],
                i < c->n ? " => " : "\n\n");
    for (u32 i = 0; i < c->n; i++) {
        fprintf(to, "  Mutex M%u acquired here while holding mutex M%u in ", i, (i + c->n - 1) % c->n);
        print_thread_name(to, c->tid[i]);
        fprintf(to, ":\n");
        print_stack(to, st, c->tid[i]);
    }
    hd_model_where(st, c->tid[0], &l);
    print_end(to, st->f, what, "the deadlock itself", &l);
    return true;
}

static bool report_misuse(FILE *to, struct hd_model *st)
{
    const struct hd_misuse *m = &st->f->verdict.misuse;
    const char *what = m->kind == HD_MISUSE_LEAK          ? "thread leak"
                       : m->kind == HD_MISUSE_UNSAFE_CALL ? "signal-unsafe call inside of a signal"
                       : m->kind == HD_MISUSE_ERRNO       ? "signal handler spoils errno"
                                                          : NULL;
    struct hd_srcloc l = {0};
    if (!what)
        return false;
    print_begin(to, what);
    if (m->kind == HD_MISUSE_LEAK)
        print_created(to, st, m->tid);
    else
        print_stack(to, st, m->tid);
    hd_model_site(st, m->site, &l);
    print_end(to, st->f, what, st->f->verdict.msg, &l);
    return true;
}

static bool report_race(FILE *to, struct hd_model *st)
{
    const struct hd_finding *f = st->f;
    struct hd_srcloc l;
    u32 e[2];
    for (u32 k = 0; k < 2; k++)
        if ((e[k] = hd_race_find(f, k)) == ~0u || hd_space_of(f->events[e[k]].kind) != HD_SPACE_MEMORY)
            return false;
    const char *what = hd_race_is_vptr(st) ? "data race on vptr (ctor/dtor vs virtual call)" : "data race";
    print_begin(to, what);
    print_access(to, st, e[1], true);
    print_access(to, st, e[0], false);
    print_location(to, st, e[1]);
    for (u32 k = 2; k-- > 0;)
        print_created(to, st, f->events[e[k]].tid);
    hd_model_place(st, &f->events[e[1]], e[1], &l);
    print_end(to, f, what, hd_race_class_text(f->race.class), &l);
    return true;
}

bool hd_report_tsan(FILE *to, const struct hd_finding *f, struct hd_symbols *s)
{
    struct hd_model st;
    bool is_written = false;
    hd_model_init(&st, f, s);
    if (hd_race_is(f))
        is_written = !f->race.step[2] && report_race(to, &st);
    else if (f->verdict.kind == HD_V_DEADLOCK)
        is_written = report_deadlock(to, &st);
    else if (f->verdict.kind == HD_V_MISUSE)
        is_written = report_misuse(to, &st);
    hd_model_release(&st);
    return is_written;
}
