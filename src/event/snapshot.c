/* snapshot.c: see snapshot.h. First what is small, then one function per table. */
#include "event/snapshot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes `x` what it was, or `most`, and counts. */
static void most_u32(u32 *x, u32 most, u32 *bad)
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
    if (v->misuse.kind >= HD_MISUSE_KINDS)
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
    kind_u32(&st->has_circled, 2, bad);
    thread_number(&st->delay.tid, bad);
    thread_number(&st->delay.waiter, bad);
    truth(&st->delay.is_sleep, bad);
}

/* ---- loaded objects -------------------------------------------------------------------- */

const struct hd_module *hd_snapshot_modules(struct hd_snapshot *s, u32 *n)
{
    u32 now = __atomic_load_n(&s->shm.run->n_modules, __ATOMIC_ACQUIRE);
    most_u32(&now, HD_SHM_MODULES, &s->bad);
    if (now > s->n_modules) { /* the table only grows: what is known stays as it is */
        struct hd_module *grown = realloc(s->modules, now * sizeof *grown);
        HD_ASSERT(grown);
        s->modules = grown;
        for (u32 i = s->n_modules; i < now; i++) {
            grown[i] = hd_shm_modules(s->shm.run)[i];
            most_u32(&grown[i].build_id_len, sizeof grown[i].build_id, &s->bad);
            text(grown[i].path, sizeof grown[i].path, &s->bad);
        }
        s->n_modules = now;
    }
    *n = s->n_modules;
    return s->modules;
}

/* ---- the whole ------------------------------------------------------------------------- */

void hd_snapshot_init(struct hd_snapshot *s, const struct hd_shm *shm)
{
    memset(s, 0, sizeof *s);
    s->shm = *shm;
}

void hd_snapshot_release(struct hd_snapshot *s)
{
    for (u32 i = 0; i < HD_TAKEN_TABLES; i++)
        free(s->table[i].at);
    free(s->modules);
    memset(s, 0, sizeof *s);
}

void hd_snapshot_clear(struct hd_snapshot *s)
{
    for (u32 i = 0; i < HD_TAKEN_TABLES; i++)
        s->table[i].is_taken = false;
    memset(&s->verdict, 0, sizeof s->verdict);
    memset(&s->stats, 0, sizeof s->stats);
    memset(&s->final, 0, sizeof s->final);
}

/* The server changes nothing of what it was sent but the strategy, by the plan. */
static void take_config(struct hd_snapshot *s, const struct hd_config *sent,
                        const struct hd_command *cmd)
{
    const struct hd_batch *plan = &s->shm.host->plan;
    u64 i = s->number - cmd->first_run;
    s->cfg = *sent;
    if (i < HD_MIN(plan->n, (u32)HD_PLAN)) {
        s->cfg.strategy = plan->at[i].strategy;
        s->cfg.strategy_param = plan->at[i].param;
    }
}

/* What the run said, and what the server saw. */
static void take_end(struct hd_snapshot *s)
{
    const struct hd_run_status end = s->shm.server->end;
    s->verdict = s->shm.run->verdict;
    s->stats = s->shm.run->stats;
    s->final = s->shm.run->final;
    most_u32(&s->final.n, HD_SHM_FINAL, &s->bad);
    if (end.kind != HD_V_NONE)
        s->verdict.kind = end.kind;
    s->verdict.status = end.status;
    if (end.signo)
        s->verdict.signo = (u16)end.signo;
    verdict(&s->verdict, &s->bad);
    stats(&s->stats, &s->bad);
}

void hd_snapshot_take(struct hd_snapshot *s, const struct hd_config *sent,
                      const struct hd_command *cmd, u64 runs_done)
{
    const struct hd_shm_server *v = s->shm.server;
    u32 n;
    hd_snapshot_clear(s);
    s->number = v->run;
    s->started_ns = v->run_started_ns;
    s->totals = v->totals;
    s->learned = v->learned;
    s->notes = s->shm.run->notes;
    s->n_marks = s->shm.run->n_marks;
    s->n_sites = s->shm.run->n_sites;
    s->n_options = s->shm.run->n_options;
    s->runs_done = runs_done;
    most_u32(&s->totals.max_threads, HD_MAX_THREADS, &s->bad);
    text(s->totals.uncontrolled_call, sizeof s->totals.uncontrolled_call, &s->bad);
    most_u32(&s->notes.n, HD_SHM_NOTES, &s->bad);
    if (v->batch == cmd->number)
        take_end(s); /* else the server ended before it began with it */
    if (s->number - cmd->first_run >= cmd->count)
        s->number = cmd->first_run;
    take_config(s, sent, cmd);
    hd_snapshot_modules(s, &n);
}

/* ---- tables ---------------------------------------------------------------------------- */

/* Read once: it may change. */
#define LENGTH(field) __atomic_load_n(&s->shm.run->field, __ATOMIC_RELAXED)

/* Room for `n` entries of `size` bytes, that are now to be copied; NULL: they were. */
static void *room(struct hd_snapshot *s, enum hd_snapshot_table t, size_t n, size_t size)
{
    if (s->table[t].is_taken)
        return NULL;
    if (s->table[t].room < n * size + 1) {
        free(s->table[t].at);
        s->table[t].room = n * size + n * size / 2 + 64;
        s->table[t].at = malloc(s->table[t].room);
        HD_ASSERT(s->table[t].at);
    }
    s->table[t].n = n;
    s->table[t].is_taken = true;
    return s->table[t].at;
}

static void *taken(struct hd_snapshot *s, enum hd_snapshot_table t, u32 *n)
{
    *n = (u32)s->table[t].n;
    return s->table[t].at;
}

const struct hd_shm_thread *hd_snapshot_threads(struct hd_snapshot *s, u32 *n)
{
    struct hd_shm_thread *t = room(s, HD_TAKEN_THREADS, s->stats.threads, sizeof *t);
    for (u32 i = 0; t && i < s->stats.threads; i++) {
        t[i] = hd_shm_threads(s->shm.run)[i];
        if (t[i].state > HD_T_FINISHED)
            t[i].state = HD_T_FREE, s->bad++;
        if (t[i].op_kind >= HD_EV_COUNT)
            t[i].op_kind = HD_EV_NOTE, s->bad++;
        thread_number(&t[i].parent, &s->bad);
        text(t[i].name, sizeof t[i].name, &s->bad);
    }
    return taken(s, HD_TAKEN_THREADS, n);
}

const struct hd_frame *hd_snapshot_frames(struct hd_snapshot *s, u32 tid, u32 *n)
{
    u32 threads;
    const struct hd_shm_thread *t = hd_snapshot_threads(s, &threads);
    u32 depth = tid < threads ? HD_MIN(t[tid].depth, (u32)HD_SHM_FRAMES) : 0;
    s->table[HD_TAKEN_FRAMES].is_taken = false;
    struct hd_frame *to = room(s, HD_TAKEN_FRAMES, depth, sizeof *to);
    if (depth)
        memcpy(to, hd_shm_frames(s->shm.run, tid), depth * sizeof *to);
    return taken(s, HD_TAKEN_FRAMES, n);
}

static bool is_choice(const struct hd_choice *c)
{
    return c->count && c->tid < HD_MAX_THREADS && c->kind && c->kind <= HD_CHOICE_RULE;
}

struct hd_choice *hd_snapshot_choices(struct hd_snapshot *s, u32 *n)
{
    u32 all = s->table[HD_TAKEN_CHOICES].is_taken ? 0 : LENGTH(log.n), i = 0;
    most_u32(&all, HD_SHM_LOG, &s->bad);
    if (LENGTH(log.packed)) /* then the last slot is that of the run's last entry */
        all = HD_MIN(all, HD_SHM_LOG - 1);
    struct hd_choice *to = room(s, HD_TAKEN_CHOICES, all, sizeof *to);
    if (to) {
        memcpy(to, hd_shm_log_choice(s->shm.run), all * sizeof *to);
        while (i < all && is_choice(&to[i]))
            i++;
        s->table[HD_TAKEN_CHOICES].n = i; /* the next one was begun when the process died */
    }
    return taken(s, HD_TAKEN_CHOICES, n);
}

/* Packed bytes: whole blocks are in the file, the rest in shared memory. */
static u32 read_packed(void *self, u64 at, u8 *to, u32 n)
{
    const struct hd_snapshot *s = self;
    u64 blocks = LENGTH(log.packed) / HD_LOG_BLOCK * HD_LOG_BLOCK;
    if (at < blocks) {
        ssize_t k = pread(s->shm.log_fd, to, (size_t)HD_MIN((u64)n, blocks - at), (off_t)at);
        return k > 0 ? (u32)k : 0;
    }
    for (u32 i = 0; i < n; i++)
        to[i] = hd_shm_log_ring(s->shm.run)[(at + i) % HD_LOG_RING];
    return n;
}

int hd_snapshot_tail(struct hd_snapshot *s, struct hd_tail *t)
{
    struct hd_tail_writer w;
    struct hd_choice c;
    u64 check;
    *t = (struct hd_tail){0};
    struct hd_tail_reader r = {.read = read_packed, .self = s};
    r.bytes = HD_MIN(LENGTH(log.packed), HD_LOG_MOST);
    if (!r.bytes || s->shm.log_fd <= 0)
        return 0;
    hd_tail_begin(&w);
    while (hd_tail_next(&r, &c, &check))
        hd_tail_add(&w, &c, check);
    c = hd_shm_log_choice(s->shm.run)[HD_SHM_LOG - 1];
    if (r.at == r.have && is_choice(&c))
        hd_tail_add(&w, &c, 0);
    return hd_tail_end(&w, t);
}

static const u64 *beside_choices(struct hd_snapshot *s, enum hd_snapshot_table t, const u64 *from)
{
    u32 n;
    hd_snapshot_choices(s, &n);
    u64 *to = room(s, t, n, sizeof *to);
    if (to)
        memcpy(to, from, n * sizeof *to);
    return taken(s, t, &n);
}

const u64 *hd_snapshot_choice_sites(struct hd_snapshot *s)
{
    return beside_choices(s, HD_TAKEN_CHOICE_SITES, hd_shm_log_site(s->shm.run));
}

const u64 *hd_snapshot_choice_checks(struct hd_snapshot *s)
{
    return beside_choices(s, HD_TAKEN_CHOICE_CHECKS, hd_shm_log_check(s->shm.run));
}

const struct hd_event *hd_snapshot_events(struct hd_snapshot *s, u32 *n)
{
    u32 all = (u32)HD_MIN(s->stats.events, (u64)HD_SHM_RING);
    struct hd_event *to = room(s, HD_TAKEN_EVENTS, all, sizeof *to);
    u64 end = LENGTH(ring_written);
    for (u32 i = 0; to && i < all; i++)
        to[i] = hd_shm_event(hd_shm_ring(s->shm.run), end - all + i);
    return taken(s, HD_TAKEN_EVENTS, n);
}

const struct hd_detail *hd_snapshot_details(struct hd_snapshot *s)
{
    u32 n = (u32)HD_MIN(s->stats.events, (u64)HD_SHM_RING);
    struct hd_detail *to = room(s, HD_TAKEN_DETAILS, n, sizeof *to);
    u64 end = LENGTH(ring_written);
    for (u32 i = 0; to && i < n; i++) {
        to[i] = hd_shm_details(s->shm.run)[(end - n + i) & (HD_SHM_RING - 1)];
        most_u32(&to[i].n_callers, HD_DETAIL_CALLERS, &s->bad);
    }
    return taken(s, HD_TAKEN_DETAILS, &n);
}

const struct hd_option *hd_snapshot_options(struct hd_snapshot *s, u32 *n)
{
    u32 all = HD_MIN(s->n_options, HD_SHM_OPTIONS);
    struct hd_option *o = room(s, HD_TAKEN_OPTIONS, all, sizeof *o);
    for (u32 i = 0; o && i < all; i++) {
        o[i] = hd_shm_options(s->shm.run)[i];
        thread_number(&o[i].tid, &s->bad);
        if (!o[i].kind || o[i].kind > HD_CHOICE_FOREIGN)
            o[i].kind = HD_CHOICE_PICK, s->bad++;
    }
    return taken(s, HD_TAKEN_OPTIONS, n);
}

struct hd_final_word *hd_snapshot_final(struct hd_snapshot *s, u32 *n)
{
    struct hd_final_word *w = room(s, HD_TAKEN_FINAL, s->final.n, sizeof *w);
    for (u32 i = 0; w && i < s->final.n; i++) {
        w[i] = hd_shm_final(s->shm.run)[i];
        kind_u32(&w[i].kind, HD_FINAL_KINDS, &s->bad);
    }
    return taken(s, HD_TAKEN_FINAL, n);
}

const struct hd_pending *hd_snapshot_pending(struct hd_snapshot *s)
{
    u32 n;
    struct hd_pending *p = room(s, HD_TAKEN_PENDING, HD_SEARCH_THREADS, sizeof *p);
    for (u32 i = 0; p && i < HD_SEARCH_THREADS; i++) {
        p[i] = hd_shm_pending(s->shm.run)[i];
        if (p[i].kind >= HD_EV_COUNT)
            p[i].kind = HD_EV_NOTE, s->bad++;
    }
    return taken(s, HD_TAKEN_PENDING, &n);
}

const struct hd_io_result *hd_snapshot_io_results(struct hd_snapshot *s, u32 *n)
{
    u32 all = LENGTH(n_io_results);
    most_u32(&all, HD_SHM_IO_RESULTS, &s->bad);
    struct hd_io_result *to = room(s, HD_TAKEN_IO_RESULTS, all, sizeof *to);
    for (u32 i = 0; to && i < all; i++) {
        to[i] = hd_shm_io_results(s->shm.run)[i];
        if (to[i].tid >= HD_MAX_THREADS)
            to[i].tid = 0, s->bad++;
    }
    return taken(s, HD_TAKEN_IO_RESULTS, n);
}

const struct hd_site *hd_snapshot_sites(struct hd_snapshot *s, u32 *n)
{
    const struct hd_site *from = hd_shm_sites(s->shm.run);
    size_t pages = hd_bits_count(s->shm.run->site_pages, HD_BITS_WORDS(HD_SITE_PAGES)), k = 0;
    struct hd_site *to = room(s, HD_TAKEN_SITES, (pages + 1) * HD_SITE_PAGE, sizeof *to);
    if (to) {
        HD_SITES_EACH(i, s->shm.run)
        {
            if (k == s->table[HD_TAKEN_SITES].n)
                continue; /* the set has grown meanwhile */
            to[k] = from[i];
            k += to[k].pc != 0;
        }
        s->table[HD_TAKEN_SITES].n = k;
    }
    return taken(s, HD_TAKEN_SITES, n);
}

void hd_shm_env_error(const struct hd_shm *m, char *out, size_t size)
{
    size_t n = HD_MIN(size, sizeof m->run->env_error) - 1, i = 0;
    memcpy(out, m->run->env_error, n);
    out[n] = '\0';
    while (out[i] >= ' ' && out[i] <= '~')
        i++;
    if (out[i])
        out[0] = '\0';
}

/* ---- while a batch goes on -------------------------------------------------------------- */

struct hd_run_end hd_shm_ran(const struct hd_shm *m, u64 number)
{
    struct hd_run_end r;
    memcpy(&r, &m->server->ran[number % HD_SHM_RUNS], sizeof r); /* once: it may change */
    if (r.verdict >= HD_V_COUNT)
        r.verdict = HD_V_NONE;
    if (r.log_at > HD_SHM_LOG)
        r.log_at = 0;
    if (r.log_at)
        r.log_n = HD_MIN(r.log_n, (u32)(HD_SHM_LOG - r.log_at + 1));
    return r;
}

u32 hd_shm_saved_choices(const struct hd_shm *m, const struct hd_run_end *ran, struct hd_choice *to,
                        u32 room)
{
    u32 n = 0;
    if (ran->log_at)
        for (; n < HD_MIN(ran->log_n, room); n++) {
            to[n] = hd_shm_saved_choice(m->server)[ran->log_at - 1 + n];
            if (!is_choice(&to[n]))
                break;
        }
    return n;
}

bool hd_shm_is_stack(const struct hd_shm *m, u16 tid, u64 addr)
{
    const struct hd_shm_thread *t = hd_shm_threads(m->run) + tid;
    return tid < HD_MAX_THREADS && addr >= t->stack_lo && addr < t->stack_hi;
}
