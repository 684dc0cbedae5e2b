/* earlier.c: what a process holds from before it came under control. A forked child is taken over
 * when it makes its first thread (stand_by.c), in the middle of its main: it may hold locks then,
 * or be in the routine of a pthread_once or the constructor of a static object. The models know
 * nothing of it, so it is noted here while the process has one thread, and stated as steps of that
 * thread when control begins.
 *
 *     passive                       at the first thread          under control
 *     lock(m)   real, noted
 *                                   real unlock; LOCK m stated
 *                                                                unlock(m)   model
 */
#include "runtime/started/earlier.h"

#define MOST 64

bool hd_earlier_is_noted;

static struct held {
    u8 kind; /* of the step that takes it */
    const volatile void *obj;
    u64 arg, site;
} held[MOST];
static u32 n_held;
static bool is_full;

void hd_earlier_begin(void)
{
    n_held = 0;
    is_full = false;
    hd_earlier_is_noted = true;
}

void hd_earlier_take(u8 kind, const volatile void *obj, u64 arg, u64 site)
{
    if (n_held < MOST)
        held[n_held++] = (struct held){kind, obj, arg, site};
    else
        is_full = true;
}

void hd_earlier_give(const volatile void *obj)
{
    u32 i = n_held;
    while (i && held[i - 1].obj != obj)
        i--;
    if (i)
        hd_memmove(&held[i - 1], &held[i], (n_held-- - i) * sizeof *held);
}

bool hd_earlier_is_full(void) { return is_full; }

void hd_earlier_leave_real(void)
{
    for (u32 i = 0; i < n_held; i++) {
        void *obj = (void *)held[i].obj;
        if (held[i].kind == HD_EV_RDLOCK || held[i].kind == HD_EV_WRLOCK)
            HD_REAL(pthread_rwlock_unlock)(obj);
        else if (held[i].kind == HD_EV_LOCK && held[i].arg == HD_MTX_SPIN)
            HD_REAL(pthread_spin_unlock)(obj);
        else if (held[i].kind == HD_EV_LOCK)
            HD_REAL(pthread_mutex_unlock)(obj);
    }
}

void hd_earlier_state(void)
{
    for (u32 i = 0; i < n_held; i++)
        hd_gate_obj(held[i].kind, held[i].site, held[i].obj, held[i].arg);
    n_held = 0;
}
