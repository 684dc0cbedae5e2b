/* sentence_misuse.c: a wrong use of a lock, what a signal handler must not do, a thread that is left
 * over: in one sentence. */
#include "report/explain/sentence.h"

#include <string.h>

#define NAME HD_SENTENCE_NAME

const char *hd_misuse_word(u8 kind)
{
    static const char *const name[] = {
        [HD_MISUSE_UNLOCK_NOT_OWNER] = "unlock-not-owner",
        [HD_MISUSE_UNLOCK_FREE] = "unlock-free",
        [HD_MISUSE_DESTROY_HELD] = "destroy-held",
        [HD_MISUSE_WAIT_WITHOUT] = "wait-without-mutex",
        [HD_MISUSE_RELOCK] = "relock",
        [HD_MISUSE_WAIT_TWO] = "wait-two-mutexes",
        [HD_MISUSE_EXIT_HOLDING] = "exit-holding",
        [HD_MISUSE_LEAK] = "thread-leak",
        [HD_MISUSE_UNSAFE_CALL] = "unsafe-call-in-handler",
        [HD_MISUSE_ERRNO] = "errno-changed-by-handler",
    };
    return kind && kind < HD_COUNT(name) ? name[kind] : "unknown";
}

/* " (taken at a.c:3)" for the holder's lock, or " (released by T1 at a.c:5)" for a
 * free one; nothing if the recorded steps do not tell. */
static void write_last_use(struct hd_model *st, FILE *to, u64 lock, u16 owner)
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
    bool has_met = false;
    for (u32 i = f->n_events; i-- > 0 && owner == HD_NO_THREAD;) {
        const struct hd_event *e = &f->events[i];
        if (e->obj != lock || hd_event_class(e->kind) != HD_CLASS_REL)
            continue;
        if (!has_met) {
            has_met = true;
            continue;
        }
        hd_sentence_event(st, i, who, place, NULL);
        fprintf(to, " (last released by %s at %s)", who, place);
        return;
    }
}

/* The condition the thread waits on, by its pending operation or last event. */
static u64 waited_cond(const struct hd_model *st, const struct hd_misuse *m)
{
    for (u32 i = st->f->n_events; i-- > 0;)
        if (st->f->events[i].tid == m->tid && st->f->events[i].kind == HD_EV_COND_WAIT)
            return st->f->events[i].obj;
    const struct hd_finding_thread *t = hd_model_thread(st, m->tid);
    return t ? t->op_obj : 0;
}

static void misuse_place(const struct hd_model *st, const struct hd_misuse *m, char *buf,
                         size_t size)
{
    const struct hd_finding *f = st->f;
    struct hd_srcloc l;
    for (u32 i = f->n_events; i-- > 0;)
        if (f->events[i].tid == m->tid && f->events[i].site == m->site) {
            hd_name_event(st, i, false, buf, size);
            return;
        }
    if (hd_model_where(st, m->tid, &l))
        hd_name_place(st, &l, false, buf, size);
    else
        hd_name_site(st, m->site, false, buf, size);
}

/* Where the handler came in: " at a.c:20" */
static void write_interrupted(struct hd_model *st, FILE *to, const struct hd_misuse *m)
{
    char place[NAME];
    if (!m->at)
        return;
    hd_name_site(st, m->at, false, place, sizeof place);
    fprintf(to, " at %s", place);
}

static const char *errno_name(u64 number)
{
    const char *name = strerrorname_np((int)number);
    return name ? name : "?";
}

static void write_handler(struct hd_model *st, FILE *to, const struct hd_misuse *m)
{
    char who[48], place[NAME];
    const char *signal = hd_name_signal((int)(m->obj & 255));
    u64 before = m->obj >> 16 & 0xffff, after = m->obj >> 32 & 0xffff;
    hd_name_thread(st, m->tid, who, sizeof who);
    hd_name_site(st, m->site, false, place, sizeof place);
    if (m->kind == HD_MISUSE_UNSAFE_CALL) {
        fprintf(to, "%s called %s: the call at %s is in the handler of %s, which came in", who,
                st->f->verdict.msg, place, signal);
        write_interrupted(st, to, m);
        fprintf(to, ". Neither of the two is async-signal-safe");
        return;
    }
    fprintf(to, "The handler of %s at %s changed errno of %s from %llu (%s) to %llu (%s); it had interrupted it",
            signal, place, who, (unsigned long long)before, errno_name(before),
            (unsigned long long)after, errno_name(after));
    write_interrupted(st, to, m);
    fprintf(to, ". Code that is about to look at why a call failed sees the wrong reason");
}

static void write_leak(struct hd_model *st, FILE *to, const struct hd_misuse *m)
{
    char who[48], place[NAME];
    hd_name_thread(st, m->tid, who, sizeof who);
    hd_name_site(st, m->site, false, place, sizeof place);
    fprintf(to, "%s, created at %s, ended, and until the process ended nobody joined or detached it: what "
            "the system keeps of it (its stack) is not given back", who, place);
}

void hd_sentence_misuse(struct hd_model *st, FILE *to)
{
    const struct hd_misuse *m = &st->f->verdict.misuse;
    if (m->kind >= HD_MISUSE_LEAK) {
        (m->kind == HD_MISUSE_LEAK ? write_leak : write_handler)(st, to, m);
        return;
    }
    char who[48], owner[48], lock[NAME], place[NAME], cond[NAME];
    hd_name_thread(st, m->tid, who, sizeof who);
    hd_name_thread(st, m->owner, owner, sizeof owner);
    hd_name_quoted(st, HD_EV_LOCK, m->obj, lock, sizeof lock);
    misuse_place(st, m, place, sizeof place);
    switch (m->kind) {
    case HD_MISUSE_UNLOCK_NOT_OWNER:
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
