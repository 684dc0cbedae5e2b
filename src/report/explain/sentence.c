/* sentence.c: what happened, in one sentence: kind, variable or lock by name,
 * source lines. What one run cannot prove is called likely. */
#include "report/explain/refine.h"
#include "report/explain/model.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define NAME 320

/* "T1 at bank.c:12"; only the thread if the place is not known. */
static void write_where(struct hd_story *st, FILE *to, u16 tid)
{
    char who[48], place[NAME], function[64];
    struct hd_srcloc l;
    hd_name_thread(st, tid, who, sizeof who);
    fprintf(to, "%s", who);
    if (!hd_story_where(st, tid, &l))
        return;
    hd_name_place(st, &l, false, place, sizeof place);
    const struct hd_finding_thread *t = hd_story_thread(st, tid);
    fprintf(to, ", %s %s", t && t->is_guess ? "last seen at" : "at", place);
    if (l.function) {
        hd_name_function(l.function, 48, function, sizeof function);
        fprintf(to, " in %s()", function);
    }
}

static void event_words(struct hd_story *st, u32 i, char *who, char *place, char *var)
{
    const struct hd_event *e = &st->f->events[i];
    hd_name_thread(st, e->tid, who, 48);
    hd_name_event(st, i, false, place, NAME);
    if (var)
        hd_name_quoted(st, e->kind, e->obj, var, NAME);
}

static void write_triple(struct hd_story *st, FILE *to)
{
    const struct hd_suspect *p = &st->suspect;
    char who[48], at0[NAME], other[48], at1[NAME], at2[NAME], var[NAME];
    const struct hd_event *e = st->f->events;
    event_words(st, p->e[0], who, at0, var);
    event_words(st, p->e[1], other, at1, NULL);
    event_words(st, p->e[2], who, at2, NULL);
    u8 k0 = e[p->e[0]].kind, k2 = e[p->e[2]].kind;
    const char *a = !strcmp(hd_name_past(k0), "read") ? "read" : "write";
    const char *b = !strcmp(hd_name_past(k2), "read") ? "read" : "write";
    fprintf(to, "%s %s %s at %s ", other, hd_name_past(e[p->e[1]].kind), var, at1);
    if (!strcmp(a, b))
        fprintf(to, "between two %ss by %s (%s and %s)", a, who, at0, at2);
    else
        fprintf(to, "between %s's %s at %s and its %s at %s", who, a, at0, b, at2);
}

bool hd_sentence_suspect(struct hd_story *st, FILE *to)
{
    const struct hd_suspect *p = &st->suspect;
    const struct hd_event *e = st->f->events;
    char who[48], place[NAME], var[NAME], other[48], there[NAME];
    switch (p->kind) {
    case HD_SUSPECT_TRIPLE:
        write_triple(st, to);
        return true;
    case HD_SUSPECT_PAIR:
        event_words(st, p->e[0], who, place, var);
        event_words(st, p->e[1], other, there, NULL);
        fprintf(to, "%s %s %s at %s before %s %s it at %s", who, hd_name_past(e[p->e[0]].kind), var,
                place, other, hd_name_past(e[p->e[1]].kind), there);
        return true;
    case HD_SUSPECT_PENDING: {
        const struct hd_finding_thread *t = &st->f->threads[p->pending];
        event_words(st, p->e[0], who, place, var);
        hd_name_thread(st, t->tid, other, sizeof other);
        struct hd_srcloc l;
        if (hd_story_where(st, t->tid, &l))
            hd_name_place(st, &l, false, there, sizeof there);
        else
            hd_name_site(st, t->op_site, false, there, sizeof there);
        const char *what = t->op_kind == HD_EV_ARMW ? "update" :
                           hd_event_class(t->op_kind) == HD_CLASS_READ ? "read" : "write";
        fprintf(to, "%s %s %s at %s before %s could %s it at %s", who,
                hd_name_past(e[p->e[0]].kind), var, place, other, what, there);
        return true;
    }
    default:
        return false;
    }
}

/* ---- one function per kind -------------------------------------------------------- */

static void write_because(struct hd_story *st, FILE *to)
{
    if (st->suspect.kind == HD_SUSPECT_NONE)
        return;
    fprintf(to, st->suspect.score > 1 ? ", most likely because " : ", possibly because ");
    hd_sentence_suspect(st, to);
}

bool hd_story_last_words(const struct hd_finding *f, char *buf, size_t size)
{
    static const char virtual[] = "pure virtual method called";
    const char *end = f->err ? f->err + f->err_len : NULL, *from;
    char raw[512];
    while (end && end > f->err && strchr("\r\n \t", end[-1]))
        end--;
    for (from = end; from && from > f->err && from[-1] != '\n'; from--)
        ;
    if (!end || from == end)
        return false;
    if (strstr(f->err, virtual)) /* said before the last line */
        snprintf(raw, sizeof raw, "%s", virtual);
    else
        snprintf(raw, sizeof raw, "%.*s", (int)HD_MIN(end - from, (ptrdiff_t)sizeof raw - 1), from);
    hd_paint_cut(buf, size, raw, 180);
    return buf[0];
}

/* "std::out_of_range: index 3" of what the C++ library says before it ends the program. */
bool hd_story_exception(const struct hd_finding *f, char *buf, size_t size)
{
    static const char thrown[] = "terminate called after throwing an instance of '";
    const char *text = f->err ? strstr(f->err, thrown) : NULL;
    if (!text || f->verdict.kind != HD_V_ASSERT)
        return false;
    text += sizeof thrown - 1;
    size_t n = strcspn(text, "'\n");
    const char *what = strstr(text, "\n  what():  ");
    char raw[400];
    snprintf(raw, sizeof raw, "%.*s", (int)HD_MIN(n, (size_t)120), text);
    if (what && what == text + strcspn(text, "\n")) {
        what += strlen("\n  what():  ");
        size_t used = strlen(raw);
        if (!strncmp(what, raw, used)) /* it begins with its type */
            used = 0;
        snprintf(raw + used, sizeof raw - used, "%s%.*s", used ? ": " : "",
                 (int)HD_MIN(strcspn(what, "\n"), (size_t)240), what);
    }
    hd_paint_cut(buf, size, raw, 180);
    return true;
}

static void write_assert(struct hd_story *st, FILE *to)
{
    char text[200];
    const char *msg = st->f->verdict.msg;
    if (st->assert_text[0]) {
        hd_paint_cut(text, sizeof text, st->assert_text, 160);
        fprintf(to, "The assertion `%s` failed in ", text);
    } else if (msg[0]) {
        hd_paint_cut(text, sizeof text, msg, 160);
        fprintf(to, "The program aborted (\"%s\") in ", text);
    } else if (hd_story_exception(st->f, text, sizeof text)) {
        fprintf(to, "An exception was not caught (%s) in ", text);
    } else if (hd_story_last_words(st->f, text, sizeof text)) {
        fprintf(to, "The program called abort() after it wrote \"%s\", in ", text);
    } else {
        fprintf(to, "The program called abort() in ");
    }
    write_where(st, to, st->f->verdict.tid);
    write_because(st, to);
}

static void write_signal(struct hd_story *st, FILE *to)
{
    const struct hd_verdict *v = &st->f->verdict;
    char name[NAME];
    if (v->msg[0]) { /* no fault: HD_SENT_BY_... */
        hd_paint_cut(name, sizeof name, v->msg, 80);
        fprintf(to, "The program was ended by %s, %s, in ", hd_name_signal(v->signo), name);
        write_where(st, to, v->tid);
        write_because(st, to);
        return;
    }
    switch (v->signo) {
    case SIGSEGV: case SIGBUS:
        fprintf(to, "The program crashed (%s): ", hd_name_signal(v->signo));
        write_where(st, to, v->tid);
        if (!hd_story_has_address(v))
            fprintf(to, ", used a pointer that is no address at all");
        else if (v->addr == v->pc && v->addr < 4096)
            fprintf(to, ", called a null pointer");
        else if (v->addr == v->pc)
            fprintf(to, ", jumped to the invalid address 0x%llx", (unsigned long long)v->addr);
        else if (v->addr < 4096)
            fprintf(to, v->addr ? ", used a null pointer (address 0x%llx)" : ", used a null pointer",
                    (unsigned long long)v->addr);
        else if (hd_symbols_data(st->s, v->addr, name, sizeof name, NULL))
            fprintf(to, ", made an invalid access to `%s`", name);
        else
            fprintf(to, ", accessed the invalid address 0x%llx", (unsigned long long)v->addr);
        break;
    case SIGFPE:
        fprintf(to,
                "The program crashed (SIGFPE, arithmetic error such as a division by zero) in ");
        write_where(st, to, v->tid);
        break;
    default:
        fprintf(to, "The program was ended by %s in ", hd_name_signal(v->signo));
        write_where(st, to, v->tid);
    }
    write_because(st, to);
}

static void write_exit(struct hd_story *st, FILE *to)
{
    s32 status = st->f->verdict.status;
    if (WIFEXITED(status) && hd_story_has_returned(st)) {
        fprintf(to, "The program ended with exit status %d, returned by main()",
                WEXITSTATUS(status));
        write_because(st, to);
        return;
    }
    if (WIFEXITED(status))
        fprintf(to, st->f->verdict.pc ? "The program ended with exit status %d (exit was called by "
                : "The program ended with exit status %d (last to run: ", WEXITSTATUS(status));
    else
        fprintf(to, "The program ended abnormally (%s; last to run: ",
                hd_name_signal(WTERMSIG(status)));
    write_where(st, to, st->f->verdict.tid);
    fputc(')', to);
    write_because(st, to);
}

static void write_place(struct hd_story *st, FILE *to, const char *did,
                        const struct hd_heap_place *p)
{
    char who[48], place[NAME];
    hd_name_thread(st, p->tid, who, sizeof who);
    fprintf(to, " %s by %s", did, who);
    if (p->n) {
        hd_name_stack_site(st, p->pc, p->n, place, sizeof place);
        fprintf(to, " at %s", place);
    }
}

/* "A freed block of 40 bytes ... was written, byte 8 of it: noticed at the end of the run." */
static void write_noticed(struct hd_story *st, FILE *to)
{
    const struct hd_heap_report *h = &st->f->verdict.heap;
    char who[48], place[NAME];
    s64 past = h->offset - (s64)h->size;
    fprintf(to, "A %sblock of %llu byte%s", h->freed.n ? "freed " : "", (unsigned long long)h->size,
            h->size == 1 ? "" : "s");
    if (h->alloc.n)
        write_place(st, to, "allocated", &h->alloc);
    if (h->freed.n)
        write_place(st, to, h->alloc.n ? "and freed" : "freed", &h->freed);
    if (past > 0)
        fprintf(to, " was written %lld byte%s past its end", (long long)past, past == 1 ? "" : "s");
    else if (!past)
        fputs(" was written right behind its end", to);
    else
        fprintf(to, " was written, byte %lld of it", (long long)h->offset);
    if (h->noticed == HD_NOTICED_END) {
        fputs(": noticed at the end of the run", to);
    } else {
        hd_name_thread(st, h->use.tid, who, sizeof who);
        fprintf(to, ": noticed when %s %s", who, h->noticed == HD_NOTICED_FREE ? "freed it" :
                "freed or allocated another block");
        if (h->use.n) {
            hd_name_stack_site(st, h->use.pc, h->use.n, place, sizeof place);
            fprintf(to, " at %s", place);
        }
    }
    fputs(". The write itself was made by code without instrumentation", to);
}

static void write_heap(struct hd_story *st, FILE *to)
{
    static const char *const did[] = {
        [HD_HEAP_READ_FREED] = "read %u bytes of freed memory",
        [HD_HEAP_WRITE_FREED] = "wrote %u bytes of freed memory",
        [HD_HEAP_READ_PAST] = "read %u bytes outside of a block",
        [HD_HEAP_WRITE_PAST] = "wrote %u bytes outside of a block",
        [HD_HEAP_READ_WILD] = "read %u bytes of heap memory that belongs to no block",
        [HD_HEAP_WRITE_WILD] = "wrote %u bytes of heap memory that belongs to no block",
        [HD_HEAP_DOUBLE_FREE] = "freed a block for the second time",
        [HD_HEAP_INVALID_FREE] = "freed an address that is no block's begin",
    };
    const struct hd_heap_report *h = &st->f->verdict.heap;
    struct hd_heap_place use = h->use;
    char place[NAME];
    if (h->noticed && h->block)
        return write_noticed(st, to);
    if (!use.n)
        use.tid = st->f->verdict.tid;
    hd_name_thread(st, use.tid, place, sizeof place);
    fprintf(to, "%s ", place);
    fprintf(to, h->kind && h->kind < HD_COUNT(did) ? did[h->kind] : "made a heap error",
            h->access_size);
    u64 site = st->f->verdict.pc;
    if (use.n || site) {
        hd_name_stack_site(st, use.n ? use.pc : &site, use.n ? use.n : 1, place, sizeof place);
        fprintf(to, " at %s", place);
    }
    if (!h->block)
        return;
    s64 past = h->offset - (s64)h->size;
    if (h->kind == HD_HEAP_DOUBLE_FREE || (!h->access_size && !h->offset))
        fprintf(to, ":");
    else if (past == 0)
        fprintf(to, ": right behind");
    else if (past > 0)
        fprintf(to, ": %lld byte%s past the end of", (long long)past, past == 1 ? "" : "s");
    else if (h->access_size)
        fprintf(to, ": byte %lld of", (long long)h->offset);
    else
        fprintf(to, ": %lld byte%s into", (long long)h->offset, h->offset == 1 ? "" : "s");
    fprintf(to, " a block of %llu bytes", (unsigned long long)h->size);
    if (h->alloc.n)
        write_place(st, to, "allocated", &h->alloc);
    if (h->freed.n)
        write_place(st, to, h->alloc.n ? "and freed" : "freed", &h->freed);
}

static bool is_lock_wait(const struct hd_finding_thread *t)
{
    if (!t)
        return false;
    enum hd_evclass c = hd_event_class(t->op_kind);
    return c == HD_CLASS_ACQ;
}

static void write_waiter(struct hd_story *st, FILE *to, u16 tid, u64 obj)
{
    const struct hd_finding_thread *t = hd_story_thread(st, tid);
    char who[48], wait[NAME], place[NAME];
    struct hd_srcloc l;
    hd_name_thread(st, tid, who, sizeof who);
    if (t)
        hd_name_thread_wait(st, t, obj, wait, sizeof wait);
    else
        hd_name_wait(st, HD_EV_LOCK, obj, wait, sizeof wait);
    fprintf(to, "%s", wait);
    if (hd_story_where(st, tid, &l)) {
        hd_name_place(st, &l, false, place, sizeof place);
        fprintf(to, " at %s", place);
    }
}

/* " (held by T2 since a.c:3)": for a lock that is waited for outside of any circle. */
static void write_holder(struct hd_story *st, FILE *to, u16 tid, u64 obj)
{
    const struct hd_held *h = hd_held_find(&st->held, obj, HD_NO_THREAD);
    const struct hd_finding_thread *t = hd_story_thread(st, tid);
    char who[48], place[NAME];
    if (!h || h->tid == tid || !is_lock_wait(t))
        return;
    const struct hd_finding_thread *owner = hd_story_thread(st, h->tid);
    hd_name_thread(st, h->tid, who, sizeof who);
    hd_name_event(st, h->event, true, place, sizeof place);
    fprintf(to, owner && owner->state == HD_T_FINISHED ? " (%s took it at %s and ended without "
            "giving it up)" : " (held by %s since %s)", who, place);
}

/* A lock that its owner wants again and cannot have. */
static void write_relock(struct hd_story *st, FILE *to)
{
    const struct hd_cycle *c = &st->cycle;
    const struct hd_held *h = hd_held_find(&st->held, c->obj[0], c->tid[0]);
    char who[48], lock[NAME], place[NAME];
    struct hd_srcloc l;
    hd_name_thread(st, c->tid[0], who, sizeof who);
    hd_name_quoted(st, HD_EV_LOCK, c->obj[0], lock, sizeof lock);
    fprintf(to, "Deadlock: %s waits for %s", who, lock);
    if (hd_story_where(st, c->tid[0], &l)) {
        hd_name_place(st, &l, false, place, sizeof place);
        fprintf(to, " at %s", place);
    }
    fprintf(to, ", which it holds itself");
    if (h) {
        hd_name_event(st, h->event, false, place, sizeof place);
        fprintf(to, " (taken at %s)", place);
    }
    bool is_upgrade = h && hd_event_class(st->f->events[h->event].kind) == HD_CLASS_ACQ &&
                      (st->f->events[h->event].kind == HD_EV_RDLOCK ||
                       st->f->events[h->event].kind == HD_EV_TRYRDLOCK);
    fprintf(to, is_upgrade ? ": a read lock does not turn into a write lock"
                           : ": the lock is not recursive");
}

bool hd_cycle_is_behind(const struct hd_story *st, u32 i)
{
    const struct hd_cycle *c = &st->cycle;
    u32 k = (i + 1) % c->n;
    const struct hd_finding_thread *t = hd_story_thread(st, c->tid[i]),
                                   *next = hd_story_thread(st, c->tid[k]);
    return c->is_cycle && c->n > 1 && t && next && t->op_kind == HD_EV_RDLOCK &&
           next->op_kind == HD_EV_WRLOCK && c->obj[i] == c->obj[k] &&
           !hd_held_find(&st->held, c->obj[i], c->tid[k]);
}

static void write_deadlock(struct hd_story *st, FILE *to)
{
    const struct hd_cycle *c = &st->cycle;
    char who[48], lock[NAME];
    if (!c->n) {
        fprintf(to, "Deadlock: no thread can go on");
        return;
    }
    if (c->is_cycle && c->n == 1 && is_lock_wait(hd_story_thread(st, c->tid[0]))) {
        write_relock(st, to);
        return;
    }
    fprintf(to, c->is_cycle ? "Deadlock: " : "Deadlock, no thread can go on: ");
    u32 shown = HD_MIN(c->n, c->is_cycle ? 3u : 4u);
    for (u32 i = 0; i < shown; i++) {
        const struct hd_finding_thread *before = hd_story_thread(st, c->tid[(i + c->n - 1) % c->n]);
        if (i)
            fprintf(to, c->is_cycle ? ", while " : i + 1 == c->n ? ", and " : ", ");
        hd_name_thread(st, c->tid[i], who, sizeof who);
        fprintf(to, "%s ", who);
        if (c->is_cycle && c->n > 1 && is_lock_wait(before) &&
            !hd_cycle_is_behind(st, (i + c->n - 1) % c->n)) {
            hd_name_quoted(st, HD_EV_LOCK, c->obj[(i + c->n - 1) % c->n], lock, sizeof lock);
            fprintf(to, "holds %s and ", lock);
        }
        write_waiter(st, to, c->tid[i], c->obj[i]);
        if (!c->is_cycle)
            write_holder(st, to, c->tid[i], c->obj[i]);
        if (hd_cycle_is_behind(st, i))
            fprintf(to, " behind a writer");
        if (c->is_cycle && c->n == 1)
            fprintf(to, ", which is itself");
    }
    if (shown < c->n)
        fprintf(to, ", and %u more threads wait%s", c->n - shown,
                c->is_cycle ? " in the same circle" : "");
}

static void write_lost_wakeup(struct hd_story *st, FILE *to, const struct hd_refined *r)
{
    const struct hd_event *e = st->f->events, *wait = &e[r->event[0]], *signal = &e[r->event[1]];
    char who[48], waker[48], place[NAME], there[NAME], obj[NAME];
    const char *word = signal->kind == HD_EV_COND_BROADCAST ? "broadcast"
                       : signal->kind == HD_EV_COND_SIGNAL ? "signal" : "wake-up";
    hd_name_thread(st, wait->tid, who, sizeof who);
    hd_name_thread(st, signal->tid, waker, sizeof waker);
    hd_name_event(st, r->event[0], false, place, sizeof place);
    hd_name_event(st, r->event[1], false, there, sizeof there);
    hd_name_quoted(st, wait->kind, wait->obj, obj, sizeof obj);
    fprintf(to,
            "Lost wake-up: %s waits on %s at %s for ever, because the last %s, by %s at %s, came "
            "too early: before %s waited, when nobody did", who, obj, place, word, waker, there,
            who);
}

/* " (taken at a.c:3)" for the holder's lock, or " (given up by T1 at a.c:5)" for a
 * free one; nothing if the recorded steps do not tell. */
static void write_last_use(struct hd_story *st, FILE *to, u64 lock, u16 owner)
{
    const struct hd_finding *f = st->f;
    char who[48], place[NAME];
    const struct hd_held *h = owner == HD_NO_THREAD ? NULL : hd_held_find(&st->held, lock, owner);
    if (h) {
        hd_name_event(st, h->event, false, place, sizeof place);
        fprintf(to, " (taken at %s)", place);
        return;
    }
    /* The last event on it is the misuse itself. */
    bool is_past = false;
    for (u32 i = f->n_events; i-- > 0 && owner == HD_NO_THREAD;) {
        const struct hd_event *e = &f->events[i];
        if (e->obj != lock || hd_event_class(e->kind) != HD_CLASS_REL)
            continue;
        if (!is_past) {
            is_past = true;
            continue;
        }
        event_words(st, i, who, place, NULL);
        fprintf(to, " (last given up by %s at %s)", who, place);
        return;
    }
}

/* The condition the thread waits on, by its pending operation or last event. */
static u64 waited_cond(const struct hd_story *st, const struct hd_misuse *m)
{
    for (u32 i = st->f->n_events; i-- > 0;)
        if (st->f->events[i].tid == m->tid && st->f->events[i].kind == HD_EV_COND_WAIT)
            return st->f->events[i].obj;
    const struct hd_finding_thread *t = hd_story_thread(st, m->tid);
    return t ? t->op_obj : 0;
}

static void misuse_place(const struct hd_story *st, const struct hd_misuse *m, char *buf,
                         size_t size)
{
    const struct hd_finding *f = st->f;
    struct hd_srcloc l;
    for (u32 i = f->n_events; i-- > 0;)
        if (f->events[i].tid == m->tid && f->events[i].site == m->site) {
            hd_name_event(st, i, false, buf, size);
            return;
        }
    if (hd_story_where(st, m->tid, &l))
        hd_name_place(st, &l, false, buf, size);
    else
        hd_name_site(st, m->site, false, buf, size);
}

static void write_misuse(struct hd_story *st, FILE *to)
{
    const struct hd_misuse *m = &st->f->verdict.misuse;
    char who[48], owner[48], lock[NAME], place[NAME], cond[NAME];
    hd_name_thread(st, m->tid, who, sizeof who);
    hd_name_thread(st, m->owner, owner, sizeof owner);
    hd_name_quoted(st, HD_EV_LOCK, m->obj, lock, sizeof lock);
    misuse_place(st, m, place, sizeof place);
    switch (m->kind) {
    case HD_MISUSE_UNLOCK_STRANGER:
        fprintf(to, "%s unlocked %s at %s, which %s holds", who, lock, place, owner);
        write_last_use(st, to, m->obj, m->owner);
        break;
    case HD_MISUSE_UNLOCK_FREE:
        fprintf(to, "%s unlocked %s at %s, which nobody holds", who, lock, place);
        write_last_use(st, to, m->obj, HD_NO_THREAD);
        break;
    case HD_MISUSE_DESTROY_HELD:
        fprintf(to, "%s destroyed %s at %s while %s%s", who, lock, place,
                m->owner == HD_NO_THREAD ? "it was in use" : owner,
                m->owner == HD_NO_THREAD ? "" : " was using it");
        write_last_use(st, to, m->obj, m->owner == HD_NO_THREAD ? m->tid : m->owner);
        break;
    case HD_MISUSE_WAIT_WITHOUT:
        hd_name_quoted(st, HD_EV_COND_WAIT, waited_cond(st, m), cond, sizeof cond);
        fprintf(to, "%s waited on %s at %s without holding the mutex %s", who, cond, place, lock);
        if (m->owner != HD_NO_THREAD)
            fprintf(to, ", which %s holds", owner);
        break;
    case HD_MISUSE_RELOCK:
        fprintf(to, "%s locked %s again at %s, which it holds already", who, lock, place);
        break;
    case HD_MISUSE_WAIT_TWO:
        hd_name_quoted(st, HD_EV_COND_WAIT, m->obj, cond, sizeof cond);
        fprintf(to, "%s waited on %s at %s with another mutex than %s, which waits on it already",
                who, cond, place, owner);
        break;
    case HD_MISUSE_EXIT_HOLDING:
        fprintf(to, "%s ended while it held %s, taken at %s", who, lock, place);
        break;
    default:
        fprintf(to, "%s misused %s at %s", who, lock, place);
    }
}

/* "T1 at a.c:3 (try lock `m`)" for each thread that goes round. */
static void write_livelock(struct hd_story *st, FILE *to, const struct hd_refined *r)
{
    fprintf(to, "Livelock: %u threads kept repeating the same steps and none got on, until the run "
            "was stopped after %llu steps: ", r->n, (unsigned long long)st->f->stats.steps);
    for (u32 i = 0; i < r->n; i++) {
        const struct hd_event *e = &st->f->events[r->event[i]];
        char who[48], place[NAME], obj[NAME];
        event_words(st, r->event[i], who, place, obj);
        fprintf(to, "%s%s at %s (%s %s)", i ? i + 1 == r->n ? " and " : ", " : "", who, place,
                hd_event_text(e->kind), obj);
    }
}

static void write_hang(struct hd_story *st, FILE *to, const struct hd_refined *r)
{
    const struct hd_finding *f = st->f;
    char who[48], place[NAME], var[NAME];
    if (r->kind != HD_REFINED_SPIN) {
        fprintf(to, "The program did not end within %llu steps; the last to run was ",
                (unsigned long long)f->stats.steps);
        write_where(st, to, f->n_events ? f->events[f->n_events - 1].tid : f->verdict.tid);
        return;
    }
    const struct hd_event *e = &f->events[r->event[0]];
    event_words(st, r->event[0], who, place, var);
    fprintf(to, "Hang: %s spins at %s, where it keeps %s %s", who, place,
            e->kind == HD_EV_ARMW                        ? "updating"
            : hd_event_class(e->kind) == HD_CLASS_READ ? "reading"
                                                         : "trying to get", var);
    if (r->is_hopeless)
        fprintf(to, ", which no other thread is going to change");
    fprintf(to, "; the run was stopped after %llu steps", (unsigned long long)f->stats.steps);
}

static void write_diverged(struct hd_story *st, FILE *to)
{
    const struct hd_diverged *d = &st->f->verdict.diverged;
    char want[48], got[48], place[NAME];
    hd_name_thread(st, d->want_tid, want, sizeof want);
    hd_name_thread(st, d->got_tid, got, sizeof got);
    fprintf(to, "The recorded schedule could not be followed past step %llu",
            (unsigned long long)d->step);
    if (st->f->verdict.msg[0])
        fprintf(to, " (%s)", st->f->verdict.msg);
    hd_name_site(st, d->want_site, false, place, sizeof place);
    fprintf(to, ": it wants %s", want);
    if (d->want_site)
        fprintf(to, " at %s", place);
    hd_name_site(st, d->got_site, false, place, sizeof place);
    if (d->got_site)
        fprintf(to, ", but %s is at %s", d->got_tid == d->want_tid ? "it" : got, place);
}

/* A message of several lines as one. */
static void write_lines(FILE *to, const char *msg)
{
    char cut[320];
    while (*msg) {
        size_t n = strcspn(msg, "\n");
        char line[320];
        snprintf(line, sizeof line, "%.*s", (int)HD_MIN(n, sizeof line - 1), msg);
        hd_paint_cut(cut, sizeof cut, line, 300);
        msg += n + (msg[n] == '\n');
        fprintf(to, "%s%s", cut, *msg ? ": " : "");
    }
}

void hd_sentence(struct hd_story *st, FILE *to)
{
    const struct hd_verdict *v = &st->f->verdict;
    struct hd_refined r;
    char text[HD_COUNT(v->msg)];
    hd_paint_cut(text, sizeof text, v->msg, sizeof text - 1);
    switch (v->kind) {
    case HD_V_ASSERT: write_assert(st, to); break;
    case HD_V_SIGNAL: write_signal(st, to); break;
    case HD_V_EXIT: write_exit(st, to); break;
    case HD_V_HEAP: write_heap(st, to); break;
    case HD_V_MISUSE: write_misuse(st, to); break;
    case HD_V_HANG:
        hd_refine(st->f, &r);
        if (r.kind == HD_REFINED_LIVELOCK)
            write_livelock(st, to, &r);
        else
            write_hang(st, to, &r);
        break;
    case HD_V_DIVERGED: write_diverged(st, to); break;
    case HD_V_DEADLOCK:
        hd_refine(st->f, &r);
        if (r.kind == HD_REFINED_LOST_WAKEUP)
            write_lost_wakeup(st, to, &r);
        else
            write_deadlock(st, to);
        break;
    case HD_V_CHECK:
        if (!v->pc) { /* the host's: the run itself went well */
            if (strncmp(v->msg, "The ", 4)) /* a script's message is a sentence */
                fprintf(to, "The check after the run failed: ");
            write_lines(to, v->msg);
            write_because(st, to);
            break;
        }
        fprintf(to, "The check%s%s%s failed in ", text[0] ? " \"" : "", text, text[0] ? "\"" : "");
        write_where(st, to, v->tid);
        write_because(st, to);
        break;
    case HD_V_OUTPUT:
        fprintf(to, "The program's output is not the one expected: ");
        write_lines(to, v->msg);
        write_because(st, to);
        break;
    case HD_V_TIMEOUT:
        fprintf(to, "The program was stopped because it ran longer than a run may take; then ");
        write_where(st, to, v->tid);
        fprintf(to, " was running");
        break;
    case HD_V_BUG:
        fprintf(to, "Heddle itself failed: %s", text);
        break;
    case HD_V_ENV:
        fprintf(to, "The run could not be carried out: %s", text);
        break;
    case HD_V_CLEAN:
        fprintf(to, "The program ended normally");
        break;
    default:
        fprintf(to, "The program was killed before it could say why");
    }
    fputc('.', to);
}

void hd_report_title(const struct hd_finding *f, struct hd_symbols *s, char *buf, size_t size)
{
    struct hd_story st;
    if (!size)
        return;
    FILE *to = fmemopen(buf, size, "w");
    buf[0] = 0;
    if (!to)
        return;
    setbuf(to, NULL);
    hd_story_init(&st, f, s);
    hd_sentence(&st, to);
    hd_story_release(&st);
    fclose(to);
    buf[size - 1] = 0;
}
