/* stranger.c: threads nobody announced: made inside a library by a call that
 * does not pass through us (getaddrinfo_a, SIGEV_THREAD timers, raw clone).
 * When one reaches an interceptor it asks for a number; the holder of the baton
 * gives it one at its next decision, and from then on it is a thread like any
 * other. If no decision comes, it goes on uncontrolled: never a hang.
 */
#include "runtime/gate.h"
#include "runtime/key.h"
#include "runtime/park.h"
#include "runtime/watchdog.h"

#define WAITING_MAX 64
#define PATIENCE_NS 200000000

u32 hd_n_strangers;
static u32 asked, answered;
static u16 answer[WAITING_MAX];

void hd_adopt_strangers(void)
{
    while (answered != __atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
        answer[answered % WAITING_MAX] = hd_sched_adopt(&hd_rt.sched);
        __atomic_store_n(&answered, answered + 1, __ATOMIC_RELEASE);
        __atomic_sub_fetch(&hd_n_strangers, 1, __ATOMIC_SEQ_CST);
        hd_park_wake(&answered);
    }
}

HD_COLD bool hd_on_slow(void)
{
    if (hd_tls.info) /* has ended for us: what it does now is libc's business */
        return false;
    hd_tls.inside++;
    hd_uncontrolled(HD_UNC_STRANGER, "a thread made inside a library");
    u32 ticket = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&hd_n_strangers, 1, __ATOMIC_SEQ_CST);
    u32 now = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
    if ((s32)(now - ticket) <= 0)
        hd_park_sleep(&answered, now, PATIENCE_NS);
    now = __atomic_load_n(&answered, __ATOMIC_ACQUIRE);
    u16 t = (s32)(now - ticket) > 0 ? answer[ticket % WAITING_MAX] : HD_NO_THREAD;
    if (t == HD_NO_THREAD)
        return false; /* `inside` stays up: this thread is never controlled */
    u64 here = (u64)__builtin_frame_address(0);
    hd_thread_enter(t, here - (1 << 20), here + 4096);
    hd_key_thread_begin(); /* so that its end is noticed */
    hd_park_wait(t);
    hd_tls.inside--;
    return true;
}
