/* shm_bound.c: see shm_bound.h. One function per part of the layout in shm.h. */
#include "event/shm_bound.h"

#include <string.h>

/* Makes `x` what it was, or `most`, and counts. */
static void most_u32(u32 *x, u32 most, u32 *bad)
{
    if (*x > most) {
        *x = most;
        ++*bad;
    }
}

static void most_u64(u64 *x, u64 most, u32 *bad)
{
    if (*x > most) {
        *x = most;
        ++*bad;
    }
}

static void kind_u32(u32 *x, u32 count, u32 *bad)
{
    if (*x >= count) {
        *x = 0;
        ++*bad;
    }
}

static void text(char *s, size_t size, u32 *bad)
{
    if (!memchr(s, 0, size)) {
        s[size - 1] = 0;
        ++*bad;
    }
}

/* A bool that is neither 0 nor 1 is one no compiler expects. */
static void truth(bool *b, u32 *bad)
{
    u8 x;
    memcpy(&x, b, 1);
    if (x > 1) {
        *b = true;
        ++*bad;
    }
}

static void thread_number(u16 *tid, u32 *bad)
{
    if (*tid >= HD_MAX_THREADS && *tid != HD_NO_THREAD) {
        *tid = 0;
        ++*bad;
    }
}

static void place(struct hd_heap_place *p, u32 *bad)
{
    thread_number(&p->tid, bad);
    if (p->n > HD_HEAP_FRAMES) {
        p->n = HD_HEAP_FRAMES;
        ++*bad;
    }
}

static void verdict(struct hd_verdict *v, u32 *bad)
{
    kind_u32(&v->kind, HD_V_COUNT, bad);
    kind_u32(&v->limit, HD_RUN_LIMIT_COUNT, bad);
    thread_number(&v->tid, bad);
    thread_number(&v->exit_tid, bad);
    text(v->msg, sizeof v->msg, bad);
    if (v->signo > 64)
        v->signo = 0, ++*bad;
    most_u32(&v->cycle.n, HD_COUNT(v->cycle.tid), bad);
    truth(&v->cycle.is_cycle, bad);
    for (u32 i = 0; i < v->cycle.n; i++)
        thread_number(&v->cycle.tid[i], bad);
    truth(&v->diverged.is, bad);
    thread_number(&v->diverged.want_tid, bad);
    thread_number(&v->diverged.got_tid, bad);
    v->diverged.why = NULL; /* an address of the target; `msg` has it */
    if (v->misuse.kind > HD_MISUSE_EXIT_HOLDING)
        v->misuse.kind = HD_MISUSE_NONE, ++*bad;
    thread_number(&v->misuse.tid, bad);
    thread_number(&v->misuse.owner, bad);
    kind_u32(&v->heap.kind, HD_HEAP_INVALID_FREE + 1, bad);
    kind_u32(&v->heap.noticed, HD_NOTICED_END + 1, bad);
    place(&v->heap.use, bad);
    place(&v->heap.alloc, bad);
    place(&v->heap.freed, bad);
}

static void stats(struct hd_stats *st, u32 *bad)
{
    most_u32(&st->threads, HD_MAX_THREADS, bad);
    most_u32(&st->log_n, HD_SHM_LOG, bad);
    text(st->uncontrolled_call, sizeof st->uncontrolled_call, bad);
    kind_u32(&st->end_hold_was, HD_HOLD_VAIN + 1, bad);
    kind_u32(&st->had_handlers, 2, bad);
    thread_number(&st->delay.tid, bad);
    thread_number(&st->delay.waiter, bad);
    truth(&st->delay.is_sleep, bad);
}

static void modules(struct hd_shm *m, u32 *bad)
{
    struct hd_module *mod = hd_shm_modules(m);
    most_u32(&m->n_modules, HD_SHM_MODULES, bad);
    for (u32 i = 0; i < m->n_modules; i++) {
        most_u32(&mod[i].build_id_len, sizeof mod[i].build_id, bad);
        text(mod[i].path, sizeof mod[i].path, bad);
    }
}

static void threads(struct hd_shm *m, u32 *bad)
{
    struct hd_shm_thread *t = hd_shm_threads(m);
    for (u32 i = 0; i < m->stats.threads; i++) {
        if (t[i].state > HD_T_FINISHED)
            t[i].state = HD_T_FREE, ++*bad;
        if (t[i].op_kind >= HD_EV_COUNT)
            t[i].op_kind = HD_EV_NOTE, ++*bad;
        thread_number(&t[i].parent, bad);
        text(t[i].name, sizeof t[i].name, bad);
    }
}

/* Those that are still there: the last ones. */
static void events(struct hd_shm *m, u32 *bad)
{
    struct hd_event *ring = hd_shm_ring(m);
    struct hd_detail *detail = hd_shm_details(m);
    u64 n = HD_MIN(HD_MAX(m->stats.events, m->ring_written), (u64)HD_SHM_RING);
    bool has_details = m->cfg.mode & HD_MODE_DETAIL;
    for (u64 i = 0; i < n; i++) {
        /* one run of the ring: all of it if it went round, else from its beginning */
        struct hd_event *e = &ring[i];
        if (!hd_shm_event_is_sane(e))
            *e = (struct hd_event){.step = e->step, .kind = HD_EV_NOTE}, ++*bad;
        if (has_details)
            most_u32(&detail[i].n_callers, HD_DETAIL_CALLERS, bad);
    }
}

static void choices(struct hd_shm *m, u32 *bad)
{
    struct hd_choice *c = hd_shm_log_choice(m);
    most_u32(&m->log.n, HD_SHM_LOG, bad);
    for (u32 i = 0; i < m->log.n; i++)
        if (!c[i].count || c[i].tid >= HD_MAX_THREADS || !c[i].kind || c[i].kind > HD_CHOICE_RULE)
            m->log.n = i; /* begun when the process died, as far as we can tell: as if it had ended there; see replay.c */
}

static void search(struct hd_shm *m, u32 *bad)
{
    struct hd_option *o = hd_shm_options(m);
    struct hd_pending *p = hd_shm_pending(m);
    u32 n = HD_MIN(m->n_options, HD_SHM_OPTIONS);
    for (u32 i = 0; i < n; i++) {
        thread_number(&o[i].tid, bad);
        if (!o[i].kind || o[i].kind > HD_CHOICE_FOREIGN)
            o[i].kind = HD_CHOICE_PICK, ++*bad;
    }
    for (u32 i = 0; i < HD_SEARCH_THREADS; i++)
        if (p[i].kind >= HD_EV_COUNT)
            p[i].kind = HD_EV_NOTE, ++*bad;
}

static void ended_run(struct hd_run_end *r, u32 *bad)
{
    kind_u32(&r->verdict, HD_V_COUNT, bad);
    most_u64(&r->log_at, HD_SHM_LOG, bad);
    if (r->log_at)
        most_u32(&r->log_n, (u32)(HD_SHM_LOG - r->log_at + 1), bad);
}

struct hd_run_end hd_shm_ran(const struct hd_shm *m, u64 number)
{
    u32 bad = 0;
    struct hd_run_end r;
    memcpy(&r, &m->ran[number % HD_SHM_RUNS], sizeof r); /* once: it may change */
    ended_run(&r, &bad);
    return r;
}

u32 hd_shm_bound(struct hd_shm *m)
{
    u32 bad = 0;
    verdict(&m->verdict, &bad);
    stats(&m->stats, &bad);
    most_u32(&m->totals.max_threads, HD_MAX_THREADS, &bad);
    text(m->totals.uncontrolled_call, sizeof m->totals.uncontrolled_call, &bad);
    modules(m, &bad);
    threads(m, &bad);
    events(m, &bad);
    choices(m, &bad);
    if (m->cfg.mode & HD_MODE_SEARCH)
        search(m, &bad);
    for (u32 i = 0; i < HD_SHM_RUNS; i++)
        ended_run(&m->ran[i], &bad);
    most_u32(&m->n_sites, HD_SHM_SITES, &bad);
    most_u32(&m->notes.n, HD_SHM_NOTES, &bad);
    most_u32(&m->n_io_results, HD_SHM_IO_RESULTS, &bad);
    text(m->env_error, sizeof m->env_error, &bad);
    return bad;
}
