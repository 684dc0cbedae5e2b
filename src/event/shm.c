/* shm.c: where each table of the shared memory begins. One list, so that the
 * host and the target cannot disagree. */
#include "event/shm.h"

#define PAGE 4096

enum { T_MODULES, T_THREADS, T_FRAMES, T_SITES, T_LOG_CHOICE, T_LOG_SITE, T_LOG_CHECK,
       T_SCRIPT_CHOICE, T_SCRIPT_SITE, T_SCRIPT_CHECK, T_RING, T_OPTIONS, T_PENDING, T_PAIRS,
       T_DETAILS, T_ANSWERS, T_SCRIPT_ANSWERS, T_COUNT };

static const size_t table_bytes[T_COUNT] = {
    [T_MODULES] = sizeof(struct hd_module) * HD_SHM_MODULES,
    [T_THREADS] = sizeof(struct hd_shm_thread) * HD_MAX_THREADS,
    [T_FRAMES] = sizeof(struct hd_frame) * HD_SHM_FRAMES * HD_MAX_THREADS,
    [T_SITES] = sizeof(struct hd_site) * HD_SHM_SITES,
    [T_LOG_CHOICE] = sizeof(struct hd_choice) * HD_SHM_LOG,
    [T_LOG_SITE] = sizeof(u64) * HD_SHM_LOG,
    [T_LOG_CHECK] = sizeof(u64) * HD_SHM_LOG,
    [T_SCRIPT_CHOICE] = sizeof(struct hd_choice) * HD_SHM_LOG,
    [T_SCRIPT_SITE] = sizeof(u64) * HD_SHM_LOG,
    [T_SCRIPT_CHECK] = sizeof(u64) * HD_SHM_LOG,
    [T_RING] = sizeof(struct hd_event) * HD_SHM_RING,
    [T_OPTIONS] = sizeof(struct hd_option) * HD_SHM_OPTIONS,
    [T_PENDING] = sizeof(struct hd_pending) * HD_SEARCH_THREADS,
    [T_PAIRS] = sizeof(struct hd_pairs),
    [T_DETAILS] = sizeof(struct hd_detail) * HD_SHM_RING,
    [T_ANSWERS] = sizeof(struct hd_io_result) * HD_SHM_IO_RESULTS,
    [T_SCRIPT_ANSWERS] = sizeof(struct hd_io_result) * HD_SHM_IO_RESULTS,
};

static size_t table_offset(int table)
{
    size_t at = HD_ALIGN_UP(sizeof(struct hd_shm), PAGE);
    for (int i = 0; i < table; i++)
        at += HD_ALIGN_UP(table_bytes[i], PAGE);
    return at;
}

static void *table(struct hd_shm *m, int t) { return (char *)m + table_offset(t); }

size_t hd_shm_bytes(void) { return table_offset(T_COUNT); }
struct hd_module *hd_shm_modules(struct hd_shm *m) { return table(m, T_MODULES); }
struct hd_shm_thread *hd_shm_threads(struct hd_shm *m) { return table(m, T_THREADS); }
struct hd_site *hd_shm_sites(struct hd_shm *m) { return table(m, T_SITES); }
struct hd_choice *hd_shm_log_choice(struct hd_shm *m) { return table(m, T_LOG_CHOICE); }
u64 *hd_shm_log_site(struct hd_shm *m) { return table(m, T_LOG_SITE); }
u64 *hd_shm_log_check(struct hd_shm *m) { return table(m, T_LOG_CHECK); }
struct hd_choice *hd_shm_script_choice(struct hd_shm *m) { return table(m, T_SCRIPT_CHOICE); }
u64 *hd_shm_script_site(struct hd_shm *m) { return table(m, T_SCRIPT_SITE); }
u64 *hd_shm_script_check(struct hd_shm *m) { return table(m, T_SCRIPT_CHECK); }
struct hd_event *hd_shm_ring(struct hd_shm *m) { return table(m, T_RING); }
struct hd_option *hd_shm_options(struct hd_shm *m) { return table(m, T_OPTIONS); }
struct hd_pending *hd_shm_pending(struct hd_shm *m) { return table(m, T_PENDING); }
struct hd_pairs *hd_shm_pairs(struct hd_shm *m) { return table(m, T_PAIRS); }
struct hd_detail *hd_shm_details(struct hd_shm *m) { return table(m, T_DETAILS); }
struct hd_io_result *hd_shm_io_results(struct hd_shm *m) { return table(m, T_ANSWERS); }
struct hd_io_result *hd_shm_script_io_results(struct hd_shm *m)
{
    return table(m, T_SCRIPT_ANSWERS);
}

struct hd_site *hd_shm_site(struct hd_shm *m, u64 pc)
{
    struct hd_site *s = hd_shm_sites(m);
    u32 at = (u32)(pc >> 2) & (HD_SHM_SITES - 1);
    for (u32 k = 0; k < 64; k++, at = (at + 1) & (HD_SHM_SITES - 1)) {
        if (s[at].pc == pc)
            return &s[at];
        if (!s[at].pc) {
            s[at] = (struct hd_site){.pc = pc};
            m->n_sites++;
            hd_shm_site_used(m, at);
            return &s[at];
        }
    }
    return NULL;
}

struct hd_frame *hd_shm_frames(struct hd_shm *m, u32 tid)
{
    return (struct hd_frame *)table(m, T_FRAMES) + (size_t)tid * HD_SHM_FRAMES;
}
