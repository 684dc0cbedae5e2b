/* libc_lock.c: see libc_lock.h. */
#include "runtime/libc/libc_lock.h"

#include "runtime/icept/sync/sync.h"

u32 hd_libc_locks;
const char hd_loader_key, hd_phdr_key;

/* What the calling thread holds. Not by its frames: one that is cancelled leaves them. */
#define MOST 16
static __thread struct {
    u32 n;
    u64 key[MOST];
} held __attribute__((tls_model("initial-exec")));

bool hd_libc_is_taken(u64 key)
{
    u16 owner = hd_libc_locks ? hd_sched_owner(&hd_rt.sched, key) : HD_NO_THREAD;
    return owner != HD_NO_THREAD && owner != hd_tls.tid;
}

static void enlist(struct hd_libc_hold *h, u64 key, u64 site, bool is_step)
{
    *h = (struct hd_libc_hold){.key = key, .site = site, .is_held = true, .is_step = is_step};
    if (held.n < MOST)
        held.key[held.n] = key;
    held.n++;
    hd_libc_locks++;
}

void hd_libc_pass(struct hd_libc_hold *h, u64 key, u64 site)
{
    h->is_held = false;
    if (!hd_on())
        return;
    hd_inside_begin(); /* the baton, before looking */
    bool is_taken = hd_libc_is_taken(key);
    hd_inside_end();
    if (!is_taken)
        return;
    hd_gate_obj(HD_EV_LOCK, site, (void *)key, HD_MTX_RECURSIVE);
    enlist(h, key, site, true);
}

void hd_libc_hold(struct hd_libc_hold *h, u64 key, u64 site)
{
    hd_libc_pass(h, key, site);
    if (h->is_held || !hd_on())
        return;
    hd_inside_begin();
    hd_sched_take(&hd_rt.sched, hd_tls.tid, key);
    hd_inside_end();
    enlist(h, key, site, false);
    hd_note(HD_EV_HB_ACQUIRE, site, key, 0);
}

void hd_libc_give(struct hd_libc_hold *h)
{
    if (!h->is_held)
        return;
    h->is_held = false;
    held.n--;
    if (hd_on() && h->is_step) {
        hd_gate_obj(HD_EV_UNLOCK, h->site, (void *)h->key, HD_MTX_RECURSIVE);
    } else if (hd_on()) {
        hd_note(HD_EV_HB_RELEASE, h->site, h->key, 0);
        hd_inside_begin();
        hd_sched_give(&hd_rt.sched, hd_tls.tid, h->key);
        hd_inside_end();
    }
    hd_libc_locks--;
}

void hd_libc_await(u64 key, u64 site)
{
    struct hd_libc_hold h = {0};
    do {
        hd_libc_pass(&h, key, site);
        hd_libc_give(&h);
    } while (hd_on() && hd_libc_is_taken(key));
}

void hd_libc_give_all(void)
{
    if (HD_LIKELY(!held.n))
        return;
    hd_inside_begin();
    for (u32 i = 0; i < HD_MIN(held.n, MOST); i++)
        hd_sched_give(&hd_rt.sched, hd_tls.tid, held.key[i]);
    hd_libc_locks -= held.n;
    held.n = 0;
    hd_inside_end();
}
