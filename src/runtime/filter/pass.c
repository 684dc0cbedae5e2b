/* pass.c: see pass.h. */
#include "runtime/filter/pass.h"

#include "event/effect.h"
#include "runtime/filter/patch.h"
#include "runtime/filter/site.h"

struct hd_pass hd_pass[HD_MAX_THREADS];
bool hd_pass_is_on;
_Static_assert(HD_PASSES == 1 << (64 - 55), "the shift of hd_pass_at");

struct hd_frame *hd_pass_frames(u16 tid)
{
    return hd_pass_is_on ? NULL : hd_shm_frames(hd_rt.run, tid);
}

void hd_pass_begin(void)
{
    bool is_on = (hd_rt.server->cfg.mode & HD_MODE_FUNCTIONS) != 0;
    if (is_on == hd_pass_is_on)
        return;
    hd_pass_is_on = is_on;
    hd_tls.frames = hd_pass_frames(hd_tls.tid);
}

static u64 mix(u64 h)
{
    h = (h ^ h >> 32) * 0xbf58476d1ce4e5b9ull;
    return h ^ h >> 29;
}

void hd_pass_slow(u64 pc, u64 what, u64 *slot)
{
    if (!hd_on())
        return;
    if (hd_shm_is_left_out(hd_rt.host, pc)) {
        hd_patch_at_once(pc);
        return;
    }
    *slot = what;
    hd_note_access(HD_EV_PASS, 0, 0, pc, 0);
}

void hd_pass_sync(const struct hd_event *ev)
{
    struct hd_pass *p = &hd_pass[ev->tid];
    u32 effects = hd_effects(ev);
    enum hd_space space = hd_space_of(ev->kind);
    if (space == HD_SPACE_MUTEX && effects & HD_TAKES)
        p->locks += mix(ev->obj);
    else if (space == HD_SPACE_MUTEX && effects & HD_GIVES)
        p->locks -= mix(ev->obj);
    else if (space == HD_SPACE_RWLOCK || space == HD_SPACE_THREAD || space == HD_SPACE_BARRIER)
        p->epoch++; /* shared or not: the event that gives a lock up does not say */
    else
        return;
    p->stamp = mix(p->locks + p->epoch * 0x9e3779b97f4a7c15ull);
}
