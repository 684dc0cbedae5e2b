/* heap_check.c: which accesses are checked in a long run; see heap_check.h. Counted in
 * accesses and decisions, not in time: the same schedule is checked at the same places.
 */
#include "runtime/heap/heap_check.h"

#include "runtime/filter/site.h"

s64 hd_heap_left;
static u16 clean[HD_SHM_SITES]; /* checks in the long part of the run, by slot */
static u32 n_done;              /* sites that are not checked any more, since the last sample */
static u32 until_sample;

static s64 first;               /* accesses of the run that are checked in any case */

bool hd_heap_is_long, hd_heap_is_sampled;

bool hd_heap_check_plan(u64 run)
{
    const struct hd_stats *last = &hd_rt.run->stats;
    u32 mode = hd_rt.server->cfg.mode;
    bool was_long = hd_heap_is_long, was_sampled = hd_heap_is_sampled;
    if (mode & HD_MODE_NO_HEAP) /* nobody counts accesses but runs that learn */
        hd_heap_is_long |= last->shadow_checks >= HD_HEAP_SHORT / 4;
    else if (first == HD_HEAP_SHORT) /* the run before was counted */
        hd_heap_is_long = last->is_heap_sampled;
    hd_heap_is_sampled = hd_heap_is_long && run % HD_HEAP_SELDOM &&
                         !(mode & (HD_MODE_LEARN | HD_MODE_HEAP_ALL));
    first = mode & HD_MODE_HEAP_ALL ? INT64_MAX : hd_heap_is_sampled ? 0 : HD_HEAP_SHORT;
    return was_long != hd_heap_is_long || was_sampled != hd_heap_is_sampled;
}

void hd_heap_check_begin(void)
{
    hd_heap_left = first;
    until_sample = HD_HEAP_INTERVAL;
    if (hd_heap_is_sampled)
        hd_rt.run->stats.is_heap_sampled = 1;
}

/* Taking calls out of the code costs system calls: at once for the first sites, which are
 * the hottest, then for a sixteenth of their number at a time. */
static bool is_time_to_patch(u32 n)
{
    u32 each = n < 32 ? 1 : 1u << (31 - __builtin_clz(n) - 4);
    return n % each == 0;
}

void hd_heap_count_long(struct hd_site *s)
{
    hd_heap_left = 0;
    if (!hd_rt.is_on) /* a child of the program: the table is its parent's */
        return;
    hd_rt.run->stats.is_heap_sampled = 1;
    u16 *n = &clean[s - hd_sites];
    if (!*n && hd_heap_is_sampled && s->known & HD_SITE_CLEAN)
        *n = HD_HEAP_CLEAN - HD_HEAP_SAMPLE;
    if (!(s->flags & HD_SITE_HEAP) || ++*n < HD_HEAP_CLEAN)
        return;
    *n = HD_HEAP_CLEAN - HD_HEAP_SAMPLE;
    s->known |= HD_SITE_CLEAN;
    s->flags = hd_filter_after(s->flags, HD_CHANGE_CLEAN);
    if (is_time_to_patch(++n_done))
        hd_site_patch_quiet();
}

void hd_heap_decided(void)
{
    if (--until_sample || !hd_heap_watched)
        return;
    until_sample = HD_HEAP_INTERVAL;
    n_done = 0;
    hd_site_change_all(HD_CHANGE_SAMPLE);
}
