/* site.c: the site table in shared memory: what each site is known as and what its hook does
 * in this run (tables 1 and 2 of filter.def).
 *
 * What one run learns, the next ones use. It takes effect when the next run begins, never
 * within a run: where a run has its scheduling points depends on the set it started with
 * alone, so a replay needs that set (`since` tells it) and no learning.
 */
#include "runtime/filter/site.h"

#include "runtime/filter/pass.h"
#include "runtime/filter/patch.h"
#include "runtime/filter/shadow.h"
#include "runtime/heap/heap_check.h"
#include "runtime/libc/module.h"
#include "runtime/news/news.h"

static struct hd_site off_table[HD_SHM_SITES]; /* never written: no memory */
struct hd_site *hd_sites = off_table;
static u8 new_flags; /* of a site met for the first time in this batch */

void hd_site_init(void) { hd_sites = hd_shm_sites(hd_rt.run); }

static u8 flags_for(u8 known)
{
    u32 mode = hd_rt.server->cfg.mode;
    return hd_filter_begin(known, hd_cells ? mode : mode & ~(u32)HD_MODE_LEARN, hd_heap_is_sampled);
}

/* Code that is left out is checked against the heap, no more; what the host marks there stays. */
static u8 flags_at(u64 pc, u8 known)
{
    u8 flags = flags_for(known);
    bool is_plain = !(known & ~HD_SITE_CLEAN) && hd_rt.host->n_ranges;
    return is_plain && hd_shm_is_left_out(hd_rt.host, pc) ? flags & HD_SITE_HEAP : flags;
}

static bool has_marks; /* of the host, since flags were made */

/* One run after the other of a search, nothing learned: the table is as it was.
 * (A watchdog changes it only in runs that are marked.) */
static bool is_unchanged(void)
{
    static u32 mode, marks, noted, sites;
    const struct hd_shm_run *m = hd_rt.run;
    u32 now = hd_rt.server->cfg.mode;
    bool is_same = now & HD_MODE_SEARCH && mode == now && !has_marks && marks == m->n_marks &&
                   noted == m->n_noted && sites == m->n_sites && !m->stats.uncontrolled &&
                   !hd_news_is_late() && !m->stats.is_heap_sampled;
    mode = now;
    has_marks = false;
    marks = m->n_marks;
    noted = m->n_noted;
    sites = m->n_sites;
    return is_same;
}

static bool has_patched; /* some calls, in this process or the server it comes from */

/* Sites that have nothing to do are not even called from now on; the others are. */
static HD_COLD void patch_calls(bool is_patched_out)
{
    if (!hd_patch_open())
        return;
    has_patched = is_patched_out;
    HD_SITES_EACH(i, hd_rt.run)
        if (hd_sites[i].pc)
            hd_patch_call(hd_sites[i].pc, is_patched_out && !hd_sites[i].flags);
    hd_patch_close();
}

void hd_site_take_marks(void)
{
    if (has_patched && hd_shm_marks_empty(hd_rt.run, hd_rt.host))
        patch_calls(false); /* sites that are about to leave the table would stay out */
    has_marks |= hd_shm_take_marks(hd_rt.run, hd_rt.host);
}

/* Learning looks at every access. A debugger has breakpoints of its own in the code. */
static bool may_patch(void)
{
    return !(hd_rt.server->cfg.mode & (HD_MODE_LEARN | HD_MODE_NO_FILTER | HD_MODE_NO_FORK));
}

void hd_site_begin(void)
{
    if (is_unchanged())
        return;
    new_flags = flags_for(0);
    HD_SITES_EACH(i, hd_rt.run)
    {
        struct hd_site *s = &hd_sites[i];
        if (!s->pc)
            continue;
        s->flags = flags_at(s->pc, s->known);
        s->times = 0;
    }
    /* In the server, so that the run, its child, begins like that. */
    hd_pass_begin();
    if (hd_pass_is_on)
        hd_patch_keep_open();
    bool is_patched_out = hd_heap_is_long && may_patch();
    if (is_patched_out || has_patched)
        patch_calls(is_patched_out);
}

void hd_site_mark(u32 index, u8 known)
{
    struct hd_site *s = &hd_sites[index];
    if ((s->known & known) == known)
        return;
    hd_rt.run->n_marks += (known & ~s->known & (HD_SITE_POINT | HD_SITE_SPIN)) != 0;
    hd_rt.run->n_noted += (known & ~s->known & HD_SITE_EVENT) != 0;
    hd_site_found(s, hd_rt.server->run, known);
}

/* ---- sites that rest ---------------------------------------------------------------- */

#define RESTING 1024 /* at a time */

static struct {
    u32 slot;
    u8 flags; /* that it will have again */
} resting[RESTING];
u32 hd_site_n_resting;

static bool may_patch_at_once(void)
{
    return !(hd_rt.server->cfg.mode & (HD_MODE_NO_FILTER | HD_MODE_NO_FORK));
}

void hd_site_rest(struct hd_site *s)
{
    u8 flags = hd_filter_after(s->flags, HD_CHANGE_RESTS);
    if (hd_site_n_resting == RESTING || flags == s->flags)
        return;
    resting[hd_site_n_resting].slot = (u32)(s - hd_sites);
    resting[hd_site_n_resting++].flags = s->flags & (u8)~flags;
    s->flags = flags;
    if (flags || !may_patch_at_once())
        return;
    hd_patch_keep_open();
    hd_patch_at_once(s->pc);
}

void hd_site_look_again(void)
{
    for (; hd_site_n_resting; hd_site_n_resting--) {
        struct hd_site *s = &hd_sites[resting[hd_site_n_resting - 1].slot];
        s->flags |= resting[hd_site_n_resting - 1].flags;
        if (may_patch_at_once())
            hd_patch_call(s->pc, false);
    }
}

/* ---- changes of all sites -------------------------------------------------------------- */

static void change(struct hd_site *s, enum hd_filter_change change)
{
    u8 flags = hd_filter_after(s->flags, change);
    if (s->pc && flags != s->flags)
        s->flags = flags;
}

/* Flags as they were when the run began, as far as they are about streaming; but sites about which the run
 * found out more, such as loops that poll, stay silent. Calls with nothing to do stay out. */
static void stream_again(void)
{
    bool is_open = has_patched && hd_patch_open();
    HD_SITES_EACH(i, hd_rt.run)
    {
        struct hd_site *s = &hd_sites[i];
        bool is_in_force = s->since <= hd_rt.server->run || s->since == HD_SINCE_START;
        if (!s->pc || !is_in_force || !(flags_at(s->pc, s->known) & HD_SITE_EVENT))
            continue;
        s->flags |= HD_SITE_EVENT;
        if (is_open)
            hd_patch_call(s->pc, false);
    }
    if (is_open)
        hd_patch_close();
}

void hd_site_silence(bool is_silent)
{
    if (hd_rt.server->cfg.mode & HD_MODE_NO_FILTER)
        return;
    hd_site_look_again();
    if (!is_silent) {
        stream_again();
        return;
    }
    hd_site_change_all(HD_CHANGE_SILENT);
    hd_site_patch_quiet();
}

void hd_site_patch_quiet(void)
{
    if (may_patch())
        patch_calls(true);
}

void hd_site_change_all(enum hd_filter_change what)
{
    hd_site_look_again();
    if (has_patched && hd_filter_after(0, what))
        patch_calls(false);
    HD_SITES_EACH(i, hd_rt.run)
        change(&hd_sites[i], what);
}

struct hd_site *hd_site_find(u64 pc)
{
    struct hd_site *s = hd_site_slot(hd_sites, pc);
    if (s && !s->pc) {
        hd_module_know(pc);
        s->flags = hd_rt.host->n_ranges ? flags_at(pc, 0) & new_flags : new_flags;
        s->pc = pc;
        if (HD_UNLIKELY(hd_pass_is_on) && !s->flags) {
            has_patched = true;
            hd_patch_at_once(pc);
        }
        hd_rt.run->n_sites++;
        hd_shm_site_used(hd_rt.run, (u32)(s - hd_sites));
    }
    return s;
}
