/* shm.c: where each table of the shared memory begins, one list per part, so that the host and
 * the target cannot disagree; and the site table. */
#include "event/shm.h"

#define PAGE 4096

enum { H_SCRIPT_CHOICE, H_SCRIPT_SITE, H_SCRIPT_CHECK, H_SCRIPT_IO_RESULTS, H_PAIRS, H_MARKS,
       H_RANGES, H_COUNT };
enum { S_SAVED_CHOICE, S_COUNT };
enum { R_MODULES, R_THREADS, R_FRAMES, R_SITES, R_LOG_CHOICE, R_LOG_SITE, R_LOG_CHECK,
       R_LOG_RING, R_RING, R_LEFT, R_OPTIONS, R_PENDING, R_DETAILS, R_IO_RESULTS, R_FINAL, R_COUNT };

static const size_t host_bytes[H_COUNT] = {
    [H_SCRIPT_CHOICE] = sizeof(struct hd_choice) * HD_SHM_LOG,
    [H_SCRIPT_SITE] = sizeof(u64) * HD_SHM_LOG,
    [H_SCRIPT_CHECK] = sizeof(u64) * HD_SHM_LOG,
    [H_SCRIPT_IO_RESULTS] = sizeof(struct hd_io_result) * HD_SHM_IO_RESULTS,
    [H_PAIRS] = sizeof(struct hd_pairs),
    [H_MARKS] = sizeof(struct hd_site_mark) * HD_SHM_MARKS,
    [H_RANGES] = sizeof(struct hd_range) * HD_SHM_RANGES,
};
static const size_t server_bytes[S_COUNT] = {
    [S_SAVED_CHOICE] = sizeof(struct hd_choice) * HD_SHM_LOG,
};
static const size_t run_bytes[R_COUNT] = {
    [R_MODULES] = sizeof(struct hd_module) * HD_SHM_MODULES,
    [R_THREADS] = sizeof(struct hd_shm_thread) * HD_MAX_THREADS,
    [R_FRAMES] = sizeof(struct hd_frame) * HD_SHM_FRAMES * HD_MAX_THREADS,
    [R_SITES] = sizeof(struct hd_site) * HD_SHM_SITES,
    [R_LOG_CHOICE] = sizeof(struct hd_choice) * HD_SHM_LOG,
    [R_LOG_SITE] = sizeof(u64) * HD_SHM_LOG,
    [R_LOG_CHECK] = sizeof(u64) * HD_SHM_LOG,
    [R_LOG_RING] = HD_LOG_RING,
    [R_RING] = sizeof(struct hd_event) * HD_SHM_RING,
    [R_LEFT] = sizeof(u32) * HD_SHM_RING,
    [R_OPTIONS] = sizeof(struct hd_option) * HD_SHM_OPTIONS,
    [R_PENDING] = sizeof(struct hd_pending) * HD_SEARCH_THREADS,
    [R_DETAILS] = sizeof(struct hd_detail) * HD_SHM_RING,
    [R_IO_RESULTS] = sizeof(struct hd_io_result) * HD_SHM_IO_RESULTS,
    [R_FINAL] = sizeof(struct hd_final_word) * HD_SHM_FINAL,
};

/* Offset of table t behind a struct of `head` bytes. */
static size_t offset(size_t head, const size_t *bytes, int t)
{
    size_t at = HD_ALIGN_UP(head, PAGE);
    for (int i = 0; i < t; i++)
        at += HD_ALIGN_UP(bytes[i], PAGE);
    return at;
}

static void *host(const struct hd_shm_host *m, int t)
{
    return (char *)m + offset(sizeof *m, host_bytes, t);
}

static void *run(const struct hd_shm_run *m, int t)
{
    return (char *)m + offset(sizeof *m, run_bytes, t);
}

size_t hd_shm_host_bytes(void) { return offset(sizeof(struct hd_shm_host), host_bytes, H_COUNT); }
size_t hd_shm_server_bytes(void)
{
    return offset(sizeof(struct hd_shm_server), server_bytes, S_COUNT);
}
size_t hd_shm_shared_bytes(void)
{
    return hd_shm_server_bytes() + offset(sizeof(struct hd_shm_run), run_bytes, R_COUNT);
}

struct hd_choice *hd_shm_script_choice(const struct hd_shm_host *m)
{
    return host(m, H_SCRIPT_CHOICE);
}
u64 *hd_shm_script_site(const struct hd_shm_host *m) { return host(m, H_SCRIPT_SITE); }
u64 *hd_shm_script_check(const struct hd_shm_host *m) { return host(m, H_SCRIPT_CHECK); }
struct hd_io_result *hd_shm_script_io_results(const struct hd_shm_host *m)
{
    return host(m, H_SCRIPT_IO_RESULTS);
}
struct hd_pairs *hd_shm_pairs(const struct hd_shm_host *m) { return host(m, H_PAIRS); }
struct hd_site_mark *hd_shm_marks(const struct hd_shm_host *m) { return host(m, H_MARKS); }
struct hd_range *hd_shm_ranges(const struct hd_shm_host *m) { return host(m, H_RANGES); }

struct hd_choice *hd_shm_saved_choice(const struct hd_shm_server *m)
{
    return (void *)((char *)m + offset(sizeof *m, server_bytes, S_SAVED_CHOICE));
}

struct hd_module *hd_shm_modules(const struct hd_shm_run *m) { return run(m, R_MODULES); }
struct hd_shm_thread *hd_shm_threads(const struct hd_shm_run *m) { return run(m, R_THREADS); }
struct hd_site *hd_shm_sites(const struct hd_shm_run *m) { return run(m, R_SITES); }
struct hd_choice *hd_shm_log_choice(const struct hd_shm_run *m) { return run(m, R_LOG_CHOICE); }
u64 *hd_shm_log_site(const struct hd_shm_run *m) { return run(m, R_LOG_SITE); }
u64 *hd_shm_log_check(const struct hd_shm_run *m) { return run(m, R_LOG_CHECK); }
u8 *hd_shm_log_ring(const struct hd_shm_run *m) { return run(m, R_LOG_RING); }
struct hd_event *hd_shm_ring(const struct hd_shm_run *m) { return run(m, R_RING); }
struct hd_option *hd_shm_options(const struct hd_shm_run *m) { return run(m, R_OPTIONS); }
struct hd_pending *hd_shm_pending(const struct hd_shm_run *m) { return run(m, R_PENDING); }
u32 *hd_shm_left(const struct hd_shm_run *m) { return run(m, R_LEFT); }
struct hd_detail *hd_shm_details(const struct hd_shm_run *m) { return run(m, R_DETAILS); }
struct hd_io_result *hd_shm_io_results(const struct hd_shm_run *m) { return run(m, R_IO_RESULTS); }
struct hd_final_word *hd_shm_final(const struct hd_shm_run *m) { return run(m, R_FINAL); }
struct hd_frame *hd_shm_frames(const struct hd_shm_run *m, u32 tid)
{
    return (struct hd_frame *)run(m, R_FRAMES) + (size_t)tid * HD_SHM_FRAMES;
}

/* ---- the site table ---------------------------------------------------------------------- */

struct hd_site *hd_shm_site(struct hd_shm_run *m, u64 pc)
{
    struct hd_site *s = hd_site_slot(hd_shm_sites(m), pc);
    if (s && !s->pc) {
        *s = (struct hd_site){.pc = pc};
        m->n_sites++;
        hd_shm_site_used(m, (u32)(s - hd_shm_sites(m)));
    }
    return s;
}

bool hd_shm_is_left_out(const struct hd_shm_host *h, u64 pc)
{
    const struct hd_range *r = hd_shm_ranges(h);
    u32 n = HD_MIN(h->n_ranges, HD_SHM_RANGES), from = 0, to = n;
    while (from < to) {
        u32 middle = (from + to) / 2;
        if (pc > r[middle].end) /* the end itself is behind a call that never returns */
            from = middle + 1;
        else
            to = middle;
    }
    return from < n && pc > r[from].start;
}

void hd_shm_marks_begin(struct hd_shm_host *h, bool is_all)
{
    if (!is_all && h->marks_for == h->cmd.number + 1)
        return; /* they come on top of those that wait */
    h->marks_for = h->cmd.number + 1;
    h->are_marks_all = is_all;
    h->n_site_marks = 0;
}

bool hd_shm_mark(struct hd_shm_host *h, u64 pc, u32 since, u8 known)
{
    hd_shm_marks_begin(h, false);
    if (h->n_site_marks >= HD_SHM_MARKS)
        return false;
    hd_shm_marks(h)[h->n_site_marks++] = (struct hd_site_mark){.pc = pc, .since = since,
                                                               .known = known};
    return true;
}

bool hd_shm_marks_empty(const struct hd_shm_run *m, const struct hd_shm_host *h)
{
    return h->marks_for == h->cmd.number && h->are_marks_all &&
           (u64)m->n_sites + h->n_site_marks > HD_SHM_SITES / 2;
}

bool hd_shm_take_marks(struct hd_shm_run *m, const struct hd_shm_host *h)
{
    struct hd_site *s = hd_shm_sites(m);
    const struct hd_site_mark *mark = hd_shm_marks(h);
    if (h->marks_for != h->cmd.number)
        return false;
    bool is_emptied = hd_shm_marks_empty(m, h);
    if (is_emptied)
        m->n_sites = 0;
    HD_SITES_EACH(i, m)
    {
        if (is_emptied) {
            s[i] = (struct hd_site){0};
        } else if (h->are_marks_all) {
            s[i].known &= HD_SITE_CLEAN;
            s[i].since = s[i].had_event = s[i].had_spin = 0;
        } else {
            s[i].known &= (u8)~HD_SITE_GOAL;
        }
    }
    for (u32 i = 0; i < h->n_site_marks; i++) {
        s = hd_shm_site(m, mark[i].pc);
        if (!s)
            continue;
        s->known |= mark[i].known;
        s->since = s->since ? s->since : mark[i].since;
    }
    return true;
}
