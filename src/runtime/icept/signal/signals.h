/* signals.h: the program's signals as Heddle sees them.
 *
 * What the program sends itself (raise, kill, pthread_kill, timers) never goes
 * through the kernel: it is pending in the scheduler, and the gate calls the
 * handler when the thread is picked. Only signals from outside arrive by the
 * kernel, in a trampoline that writes them down.
 */
#ifndef HD_SIGNALS_H
#define HD_SIGNALS_H

#include "runtime/core/rt.h"

/* ---- for the gate (baton held) ------------------------------------------- */

/* Signals from outside that nobody looked at yet: bit n-1. Atomic. */
extern u64 hd_sig_arrived;
/* Hands them to the scheduler. */
void hd_sig_poll(void);
/* Writes down one the kernel delivered. Signal-safe; any thread, no baton. */
void hd_sig_arrive(int signo, const siginfo_t *info);
/* Was it sent by somebody else than this process? */
bool hd_sig_is_foreign(const siginfo_t *info);
/* Runs the calling thread's due handlers, or ends the process if a default
 * action says so. True: the call they interrupted goes on. `inside` is 0. */
bool hd_sig_run_pending(void);

/* Earliest virtual timer (alarm, setitimer, timer_create, timerfd), or HD_NEVER. */
extern s64 hd_timer_due;
HD_INLINE s64 hd_timer_next(void) { return hd_timer_due; }
/* Would that timer's signal end the process? */
bool hd_timer_is_watchdog(void *unused);
/* Lets all timers due by `now` expire. */
void hd_timer_fire(s64 now);
/* Was it sent by a virtual timer? */
bool hd_timer_sent(const siginfo_t *info);
/* A signal that a timer sent has been taken: fills in its overrun. */
void hd_timer_taken(siginfo_t *info);
/* Nothing is pending of these signals any more, which a signalfd reads. */
void hd_timer_read(u64 set);
/* All that was pending of signo is discarded. */
void hd_timer_dropped(int signo);

/* What a handler that runs has interrupted. */
struct hd_interrupted {
    u64 site;
    u8 kind;       /* of the operation that was about to be done */
    u8 signo;
    bool is_async; /* false: the thread itself asked for it (raise, sigprocmask) */
};
/* NULL: the thread is in no handler. */
const struct hd_interrupted *hd_sig_interrupted(u16 t);

/* ---- for die.c -------------------------------------------------------------- */

/* The handler the program wants for signo, if it set one. */
bool hd_sig_user_handler(int signo, struct sigaction *out);

/* ---- for interceptors (hd_on()) ----------------------------------------------- */

/* Sends: to thread `tid`, or to the process (HD_NO_THREAD). `info` may be NULL:
 * as by kill(). A scheduling point; if the caller itself receives it, its handler
 * has run on return. 0 or an errno. */
int hd_sig_send(u16 tid, int signo, const siginfo_t *info, u64 site);
/* The same without a scheduling point, by whoever holds the baton (timers). True:
 * it is pending now; false: it is ignored, or was pending already. */
bool hd_sig_post(u16 tid, int signo, const siginfo_t *info);

/* Mask of the calling thread, as the program sees it: bit n-1. */
u64 hd_sig_mask(void);
void hd_sig_set_mask(u64 mask);
/* ppoll & co.: another mask for the time of the call. mask may be NULL. */
u64 hd_sig_enter_mask(const sigset_t *mask);
void hd_sig_leave_mask(const sigset_t *mask, u64 before);
/* Runs what has become due for the caller, now. */
void hd_sig_deliver_now(void);

/* The program's disposition; set also tells the kernel. 0 or an errno. */
const struct sigaction *hd_sig_get(int signo);
/* It has none, and the default action ends the process. */
bool hd_sig_ends(int signo);
int hd_sig_set(int signo, const struct sigaction *act);

/* Takes the siginfo of signal signo, which the caller has just accepted. False:
 * another thread was faster, the caller has not got it. */
bool hd_sig_take_info(int signo, siginfo_t *out);
/* Has the program a handler for any signal, or a thread that waits for one? */
bool hd_sig_has_receiver(void);
/* Signals pending for the caller, in the scheduler or in the kernel. */
u64 hd_sig_all_pending(void);

/* The caller jumps to a frame at stack address `sp`: handlers it is in are left
 * for good; with `mask`, that becomes its mask. */
void hd_sig_jump(u64 sp, const sigset_t *mask);

/* Number t is given to a new thread. */
void hd_sig_forget_thread(u16 t);

/* In a forked child: the kernel gets the program's own dispositions back. */
void hd_sig_release_child(void);

HD_INLINE u64 hd_sig_bit(int signo) { return (u64)1 << (signo - 1); }
HD_INLINE u64 hd_sig_bits(const sigset_t *set) { return *(const u64 *)set; }
HD_INLINE void hd_sig_to_set(sigset_t *set, u64 bits)
{
    hd_memset(set, 0, sizeof *set);
    *(u64 *)set = bits;
}

#endif
