/* sentence_blocked.c: why nothing goes on any more, in one sentence: who waits for what and
 * who holds it, which wake-up came too early, which threads go round. */
#include "report/explain/refine.h"
#include "report/explain/sentence.h"

#define NAME HD_SENTENCE_NAME

/* ---- deadlock ----------------------------------------------------------------------- */

static bool is_lock_wait(const struct hd_finding_thread *t)
{
    if (!t)
        return false;
    enum hd_evclass c = hd_event_class(t->op_kind);
    return c == HD_CLASS_ACQ;
}

static void write_waiter(struct hd_model *st, FILE *to, u16 tid, u64 obj)
{
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    char who[48], wait[NAME], place[NAME];
    struct hd_srcloc l;
    hd_name_thread(st, tid, who, sizeof who);
    if (t)
        hd_name_thread_wait(st, t, obj, wait, sizeof wait);
    else
        hd_name_wait(st, HD_EV_LOCK, obj, wait, sizeof wait);
    fprintf(to, "%s", wait);
    if (hd_model_where(st, tid, &l)) {
        hd_name_place(st, &l, false, place, sizeof place);
        fprintf(to, " at %s", place);
    }
}

/* " (held by T2 since a.c:3)": for a lock that is waited for outside of any circle. */
static void write_holder(struct hd_model *st, FILE *to, u16 tid, u64 obj)
{
    const struct hd_held *h = hd_held_find(&st->held, obj, HD_NO_THREAD);
    const struct hd_finding_thread *t = hd_model_thread(st, tid);
    char who[48], place[NAME];
    if (!h || h->tid == tid || !is_lock_wait(t))
        return;
    const struct hd_finding_thread *owner = hd_model_thread(st, h->tid);
    hd_name_thread(st, h->tid, who, sizeof who);
    hd_name_event(st, h->event, true, place, sizeof place);
    fprintf(to, owner && owner->state == HD_T_FINISHED ? " (%s took it at %s and ended without "
            "giving it up)" : " (held by %s since %s)", who, place);
}

/* A lock that its owner wants again and cannot have. */
static void write_relock(struct hd_model *st, FILE *to)
{
    const struct hd_cycle *c = &st->cycle;
    const struct hd_held *h = hd_held_find(&st->held, c->obj[0], c->tid[0]);
    char who[48], lock[NAME], place[NAME];
    struct hd_srcloc l;
    hd_name_thread(st, c->tid[0], who, sizeof who);
    hd_name_quoted(st, HD_EV_LOCK, c->obj[0], lock, sizeof lock);
    fprintf(to, "Deadlock: %s waits for %s", who, lock);
    if (hd_model_where(st, c->tid[0], &l)) {
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

bool hd_cycle_is_behind(const struct hd_model *st, u32 i)
{
    const struct hd_cycle *c = &st->cycle;
    u32 k = (i + 1) % c->n;
    const struct hd_finding_thread *t = hd_model_thread(st, c->tid[i]),
                                   *next = hd_model_thread(st, c->tid[k]);
    return c->is_cycle && c->n > 1 && t && next && t->op_kind == HD_EV_RDLOCK &&
           next->op_kind == HD_EV_WRLOCK && c->obj[i] == c->obj[k] &&
           !hd_held_find(&st->held, c->obj[i], c->tid[k]);
}

static void write_deadlock(struct hd_model *st, FILE *to)
{
    const struct hd_cycle *c = &st->cycle;
    char who[48], lock[NAME];
    if (!c->n) {
        fprintf(to, "Deadlock: no thread can go on");
        return;
    }
    if (c->is_cycle && c->n == 1 && is_lock_wait(hd_model_thread(st, c->tid[0]))) {
        write_relock(st, to);
        return;
    }
    fprintf(to, c->is_cycle ? "Deadlock: " : "Deadlock, no thread can go on: ");
    u32 printed = HD_MIN(c->n, c->is_cycle ? 3u : 4u);
    for (u32 i = 0; i < printed; i++) {
        const struct hd_finding_thread *before = hd_model_thread(st, c->tid[(i + c->n - 1) % c->n]);
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
    if (printed < c->n)
        fprintf(to, ", and %u more thread%s%s", c->n - printed, c->n - printed == 1 ? " waits" : "s wait",
                c->is_cycle ? " in the same circle" : "");
}

static void write_lost_wakeup(struct hd_model *st, FILE *to, const struct hd_refined *r)
{
    const struct hd_event *e = st->f->events, *wait = &e[r->event[0]], *signal = &e[r->event[1]];
    char who[48], waker[48], place[NAME], there[NAME], obj[NAME];
    const char *word = signal->kind == HD_EV_COND_BROADCAST ? "broadcast"
                       : signal->kind == HD_EV_COND_SIGNAL ? "signal" : "wake-up";
    hd_name_thread(st, wait->tid, who, sizeof who);
    hd_name_thread(st, signal->tid, waker, sizeof waker);
    hd_name_event(st, r->event[0], false, place, sizeof place);
    hd_name_event(st, r->event[1], false, there, sizeof there);
    hd_name_quoted_of(st, wait, obj, sizeof obj);
    fprintf(to, "Lost wake-up: %s waits on %s at %s for ever, because the last %s, by %s at %s, ",
            who, obj, place, word, waker, there);
    bool is_early = r->event[1] < r->event[0];
    if (is_early)
        fprintf(to, "came too early: before %s waited", who);
    if (!r->n_woken) {
        fputs(", when nobody did", to);
        return;
    }
    fputs(is_early ? ", and woke " : "woke ", to);
    if (r->woken == HD_NO_THREAD) {
        fprintf(to, r->n_woken == 1 ? "another thread" : "%u other threads", r->n_woken);
        return;
    }
    hd_name_thread(st, r->woken, waker, sizeof waker);
    fprintf(to, signal->kind == HD_EV_COND_BROADCAST ? "only %s" : "%s instead", waker);
    if (r->is_wrong_waiter) {
        hd_name_event(st, r->event[2], false, there, sizeof there);
        fprintf(to, ", which went back to waiting at %s", there);
    }
}

void hd_sentence_deadlock(struct hd_model *st, FILE *to)
{
    struct hd_refined r;
    hd_refine(st->f, &r);
    if (r.kind == HD_REFINED_LOST_WAKEUP)
        write_lost_wakeup(st, to, &r);
    else
        write_deadlock(st, to);
}

/* ---- hang --------------------------------------------------------------------------- */

/* "T1 at a.c:3 (try lock `m`)" for each thread that goes round. */
static void write_livelock(struct hd_model *st, FILE *to, const struct hd_refined *r)
{
    fprintf(to, "Livelock: %u threads repeat the same steps and none gets on: ", r->n);
    for (u32 i = 0; i < r->n; i++) {
        const struct hd_event *e = &st->f->events[r->event[i]];
        char who[48], place[NAME], obj[NAME];
        hd_sentence_event(st, r->event[i], who, place, obj);
        fprintf(to, "%s%s at %s (%s %s)", i ? i + 1 == r->n ? " and " : ", " : "", who, place,
                hd_event_text(e->kind), obj);
    }
}

static void write_hang(struct hd_model *st, FILE *to, const struct hd_refined *r)
{
    const struct hd_finding *f = st->f;
    char who[48], place[NAME], var[NAME];
    if (r->kind != HD_REFINED_SPIN) {
        fprintf(to, "The program hangs: its threads run and get nowhere; the last to run was ");
        hd_sentence_where(st, to, f->n_events ? f->events[f->n_events - 1].tid : f->verdict.tid);
        return;
    }
    const struct hd_event *e = &f->events[r->event[0]];
    hd_sentence_event(st, r->event[0], who, place, var);
    fprintf(to, "Hang: %s spins at %s, where it keeps %s %s", who, place,
            e->kind == HD_EV_ARMW                        ? "updating"
            : hd_event_class(e->kind) == HD_CLASS_READ ? "reading"
                                                         : "trying to get", var);
    if (r->is_hopeless)
        fprintf(to, ", which no other thread is going to change");
}

void hd_sentence_hang(struct hd_model *st, FILE *to)
{
    struct hd_refined r;
    hd_refine(st->f, &r);
    if (r.kind == HD_REFINED_LIVELOCK)
        write_livelock(st, to, &r);
    else
        write_hang(st, to, &r);
}
