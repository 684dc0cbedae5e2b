/* park_kernel.c: kernel-thread engine: one futex word per thread.
 *
 *   holder                              next
 *   baton = next                        futex_wait(word[next], 0)
 *   word[next] = 1; futex_wake   --->   word[next] = 0; runs
 *   futex_wait(word[self], 0)
 *
 * All threads of a run share one core (the host pins them), so a hand-over is
 * a wake-up and a context switch on the same run queue: no cross-core wake-up.
 */
#include "runtime/core/park.h"

#include <linux/futex.h>
#include <time.h>

#include "runtime/libc/sys.h"
#include "runtime/core/watchdog.h"

u32 hd_baton;
static u32 park_word[HD_MAX_THREADS];

void hd_park_sleep(u32 *word, u32 value, s64 ns)
{
    struct timespec ts = {ns / 1000000000, ns % 1000000000};
    hd_sys(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &ts, 0, 0);
}

void hd_park_wake(u32 *word)
{
    hd_sys(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Who gave the baton away last looks after the holder soonest. */
static u32 last_passer;

void hd_park_pass(u16 to)
{
    __atomic_store_n(&last_passer, hd_tls.tid, __ATOMIC_RELAXED);
    __atomic_store_n(&hd_baton, to, __ATOMIC_SEQ_CST);
    __atomic_store_n(&park_word[to], 1, __ATOMIC_RELEASE);
    hd_park_wake(&park_word[to]);
}

void hd_park_wait(u16 self)
{
    struct hd_watch watch;
    hd_watch_begin(&watch);
    s64 soon = HD_WATCH_FIRST_NS;
    while (!__atomic_exchange_n(&park_word[self], 0, __ATOMIC_ACQUIRE)) {
        s64 period = hd_watch_period();
        if (soon < period && __atomic_load_n(&last_passer, __ATOMIC_RELAXED) == self) {
            period = soon;
            soon *= 2;
        }
        hd_park_sleep(&park_word[self], 0, period);
        if (__atomic_load_n(&park_word[self], __ATOMIC_ACQUIRE))
            continue;
        if (hd_watchdog(self, &watch, period)) /* took the baton from a stuck holder */
            return;
    }
}
