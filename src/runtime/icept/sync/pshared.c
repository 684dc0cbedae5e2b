/* pshared.c: which objects other processes can see.
 *
 * An attribute PTHREAD_PROCESS_SHARED, or a futex call without the private flag,
 * only permits sharing. What decides is the mapping (maps.h): private memory is
 * copied by fork(), anonymous shared memory is met by children only, a file by
 * whoever maps it. Objects that nobody else meets are modelled (sync.h).
 *
 * Objects are remembered here by address when they are first seen, because to read
 * the kernel's list of mappings takes some 20 us. A fork looks at all of them anew.
 * Entries outlive their memory: what was remembered is checked again before it
 * matters, at a fork and at the next initialization.
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/maps.h"
#include "runtime/icept/process/process.h"

#define SLOTS 16384u /* power of two */
#define MOST (SLOTS / 4 * 3)

enum { UNKNOWN, OURS, FOREIGN };

static struct {
    u64 addr; /* 0 = free */
    u32 state;
} seen[SLOTS];
static u32 n_seen;
static bool has_forked;

static u32 find(u64 addr)
{
    u32 at = (u32)((addr >> 2) * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    while (seen[at].addr && seen[at].addr != addr)
        at = (at + 1) % SLOTS;
    return at;
}

/* Can another process meet the object? */
static bool is_met(u64 addr, bool is_idle)
{
    struct hd_mapping m;
    if (addr - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo || !hd_maps_find(addr, &m) ||
        !m.is_shared)
        return false;
    if (has_forked)
        return true;
    if (m.kind == HD_MAPPING_ANONYMOUS)
        return false;
    /* Somebody left it locked in a file, or others have it mapped, or may soon. */
    return !is_idle || hd_rt.server->cfg.mode & HD_MODE_DRIVEN || hd_maps_is_elsewhere(&m);
}

static HD_COLD u32 classify(u64 addr, bool is_idle)
{
    hd_inside_begin();
    u32 at = find(addr), state = is_met(addr, is_idle) ? FOREIGN : OURS;
    if (!seen[at].addr && n_seen == MOST) { /* a fork would not find it */
        state = FOREIGN;
    } else {
        n_seen += !seen[at].addr;
        seen[at].addr = addr;
        seen[at].state = state;
    }
    hd_inside_end();
    return state;
}

bool hd_is_foreign(const volatile void *obj, bool is_idle, const char *call)
{
    u32 state = seen[find((u64)obj)].state;
    if (HD_UNLIKELY(state == UNKNOWN))
        state = classify((u64)obj, is_idle);
    if (HD_LIKELY(state == OURS))
        return false;
    hd_uncontrolled(HD_UNC_PSHARED, call);
    return true;
}

void hd_shared_init(const volatile void *obj)
{
    u32 at = find((u64)obj);
    if (seen[at].addr)
        seen[at].state = UNKNOWN;
}

void hd_shared_is_ours(const volatile void *obj)
{
    u32 at = find((u64)obj);
    if (n_seen == MOST || seen[at].state == OURS)
        return;
    n_seen += !seen[at].addr;
    seen[at].addr = (u64)obj;
    seen[at].state = OURS;
}

bool hd_shared_is_known(const volatile void *obj) { return seen[find((u64)obj)].addr != 0; }

/* Those in shared memory become real; what threads wait for in private memory stays
 * a matter of their own. */
void hd_shared_before_fork(void)
{
    has_forked = true;
    hd_inside_begin();
    if (n_seen)
        hd_maps_load();
    for (u32 i = 0; i < SLOTS && n_seen; i++) {
        struct hd_mapping m;
        if (seen[i].state != OURS || !hd_maps_loaded(seen[i].addr, &m) || !m.is_shared)
            continue;
        seen[i].state = FOREIGN;
        hd_sched_hand_over(&hd_rt.sched, seen[i].addr);
    }
    hd_inside_end();
}

int hd_shared_wait(int (*probe)(void *), const volatile void *obj, s64 deadline, u64 site)
{
    struct hd_wait w = {.probe = probe, .arg = (void *)obj};
    return hd_wait_io(&w, deadline, -1, site, 0);
}
