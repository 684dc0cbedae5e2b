/* sentence.c: what happened, in one sentence: kind, variable or lock by name,
 * source lines. What one run cannot prove is called likely. */
#include "report/story.h"

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
    hd_name_site(st, e->site, false, place, NAME);
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
    switch (v->signo) {
    case SIGSEGV: case SIGBUS:
        fprintf(to, "The program crashed (%s): ", hd_name_signal(v->signo));
        write_where(st, to, v->tid);
        if (v->addr < 4096)
            fprintf(to, ", used a null pointer (address 0x%llx)", (unsigned long long)v->addr);
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
    if (WIFEXITED(status))
        fprintf(to, "The program ended with exit status %d (last to run: ", WEXITSTATUS(status));
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
    if (h->access_size)
        fprintf(to, ": byte %lld of", (long long)h->offset);
    else
        fprintf(to, ":");
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
    return c == HD_CLASS_ACQ || t->op_kind == HD_EV_COND_WAIT; /* taking the mutex again */
}

static void write_waiter(struct hd_story *st, FILE *to, u16 tid, u64 obj)
{
    const struct hd_finding_thread *t = hd_story_thread(st, tid);
    char who[48], wait[NAME], place[NAME];
    struct hd_srcloc l;
    hd_name_thread(st, tid, who, sizeof who);
    hd_name_wait(st, t ? t->op_kind : HD_EV_LOCK, obj, wait, sizeof wait);
    fprintf(to, "%s", wait);
    if (hd_story_where(st, tid, &l)) {
        hd_name_place(st, &l, false, place, sizeof place);
        fprintf(to, " at %s", place);
    }
}

static void write_deadlock(struct hd_story *st, FILE *to)
{
    const struct hd_cycle *c = &st->cycle;
    char who[48], lock[NAME];
    if (!c->n) {
        fprintf(to, "Deadlock: no thread can go on");
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
        if (c->is_cycle && c->n > 1 && is_lock_wait(before)) {
            hd_name_quoted(st, HD_EV_LOCK, c->obj[(i + c->n - 1) % c->n], lock, sizeof lock);
            fprintf(to, "holds %s and ", lock);
        }
        write_waiter(st, to, c->tid[i], c->obj[i]);
        if (c->is_cycle && c->n == 1)
            fprintf(to, is_lock_wait(before) ? ", which it holds itself" : ", which is itself");
    }
    if (shown < c->n)
        fprintf(to, ", and %u more threads wait%s", c->n - shown,
                c->is_cycle ? " in the same circle" : "");
}

/* A signal that came before its waiter: the usual reason of a deadlock without
 * a cycle. */
static void write_lost_wakeup(struct hd_story *st, FILE *to)
{
    const struct hd_finding *f = st->f;
    const struct hd_cycle *c = &st->cycle;
    for (u32 i = 0; i < c->n && !c->is_cycle; i++) {
        const struct hd_finding_thread *t = hd_story_thread(st, c->tid[i]);
        if (!t || t->op_kind != HD_EV_COND_WAIT)
            continue;
        u32 e = f->n_events;
        while (e-- > 0 && !(f->events[e].tid == t->tid && f->events[e].kind == HD_EV_COND_WAIT))
            ;
        for (; e != ~0u && e > 0; e--) {
            const struct hd_event *s = &f->events[e - 1];
            if ((s->kind != HD_EV_COND_SIGNAL && s->kind != HD_EV_COND_BROADCAST) ||
                s->obj != t->op_obj)
                continue;
            char who[48], waiter[48], place[NAME], cond[NAME];
            if (s->arg != 0)
                break;
            hd_name_thread(st, s->tid, who, sizeof who);
            hd_name_thread(st, t->tid, waiter, sizeof waiter);
            hd_name_site(st, s->site, false, place, sizeof place);
            hd_name_quoted(st, s->kind, s->obj, cond, sizeof cond);
            fprintf(to,
                    "; the last signal of %s, by %s at %s, came before %s waited and woke nobody "
                    "(a lost wake-up)", cond, who, place, waiter);
            return;
        }
    }
}

static void write_misuse(struct hd_story *st, FILE *to)
{
    const struct hd_misuse *m = &st->f->verdict.misuse;
    char who[48], owner[48], lock[NAME], place[NAME];
    hd_name_thread(st, m->tid, who, sizeof who);
    hd_name_thread(st, m->owner, owner, sizeof owner);
    hd_name_quoted(st, HD_EV_LOCK, m->obj, lock, sizeof lock);
    hd_name_site(st, m->site, false, place, sizeof place);
    switch (m->kind) {
    case HD_MISUSE_UNLOCK_STRANGER:
        fprintf(to, "%s unlocked %s at %s, which %s holds", who, lock, place, owner);
        break;
    case HD_MISUSE_UNLOCK_FREE:
        fprintf(to, "%s unlocked %s at %s, which nobody holds", who, lock, place);
        break;
    case HD_MISUSE_DESTROY_HELD:
        fprintf(to, "%s destroyed %s at %s while %s%s", who, lock, place,
                m->owner == HD_NO_THREAD ? "it was in use" : owner,
                m->owner == HD_NO_THREAD ? "" : " was using it");
        break;
    case HD_MISUSE_WAIT_WITHOUT:
        hd_name_quoted(st, HD_EV_COND_WAIT, m->obj, lock, sizeof lock);
        fprintf(to, "%s waited on %s at %s without holding the mutex it gave", who, lock, place);
        break;
    case HD_MISUSE_RELOCK:
        fprintf(to, "%s locked %s again at %s, which it holds already", who, lock, place);
        break;
    case HD_MISUSE_WAIT_TWO:
        hd_name_quoted(st, HD_EV_COND_WAIT, m->obj, lock, sizeof lock);
        fprintf(to, "%s waited on %s at %s with another mutex than the threads that wait already",
                who, lock, place);
        break;
    case HD_MISUSE_EXIT_HOLDING:
        fprintf(to, "%s ended while it held %s, taken at %s", who, lock, place);
        break;
    default:
        fprintf(to, "%s misused %s at %s", who, lock, place);
    }
}

/* The read that makes up much of the last steps, ~0u if there is none. */
static u32 spun_on(const struct hd_finding *f)
{
    u32 window = HD_MIN(f->n_events, 64u), best = ~0u, most = window / 8;
    for (u32 i = f->n_events - window; i < f->n_events; i++) {
        const struct hd_event *e = &f->events[i];
        u32 n = 0;
        if (hd_event_class(e->kind) != HD_CLASS_READ)
            continue;
        for (u32 k = f->n_events - window; k < f->n_events; k++)
            n += f->events[k].tid == e->tid && f->events[k].kind == e->kind &&
                f->events[k].obj == e->obj;
        if (n > most) {
            most = n;
            best = i;
        }
    }
    return best;
}

static void write_hang(struct hd_story *st, FILE *to)
{
    const struct hd_finding *f = st->f;
    fprintf(to, "The program did not end within %llu steps; the last to run was ",
            (unsigned long long)f->stats.steps);
    write_where(st, to, f->n_events ? f->events[f->n_events - 1].tid : f->verdict.tid);
    u32 often = spun_on(f);
    if (often == ~0u)
        return;
    char who[48], place[NAME], var[NAME];
    event_words(st, often, who, place, var);
    fprintf(to, "; %s keeps reading %s at %s", who, var, place);
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

void hd_sentence(struct hd_story *st, FILE *to)
{
    const struct hd_verdict *v = &st->f->verdict;
    char text[200];
    hd_paint_cut(text, sizeof text, v->msg, 180);
    switch (v->kind) {
    case HD_V_ASSERT: write_assert(st, to); break;
    case HD_V_SIGNAL: write_signal(st, to); break;
    case HD_V_EXIT: write_exit(st, to); break;
    case HD_V_HEAP: write_heap(st, to); break;
    case HD_V_MISUSE: write_misuse(st, to); break;
    case HD_V_HANG: write_hang(st, to); break;
    case HD_V_DIVERGED: write_diverged(st, to); break;
    case HD_V_DEADLOCK:
        write_deadlock(st, to);
        write_lost_wakeup(st, to);
        break;
    case HD_V_CHECK:
        fprintf(to, "The check%s%s%s failed in ", text[0] ? " \"" : "", text, text[0] ? "\"" : "");
        write_where(st, to, v->tid);
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
