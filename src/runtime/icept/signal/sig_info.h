/* sig_info.h: the siginfo of signals that are pending in the scheduler: several of
 * a real-time signal, one of a standard one. Baton held. */
#ifndef HD_SIG_INFO_H
#define HD_SIG_INFO_H

#include "runtime/core/rt.h"

/* Adds one; info may be NULL: as by kill(). A standard signal that is pending for
 * the same receiver already is not added again (false), unless a timer sent it. */
bool hd_sig_info_add(u16 tid, int signo, const siginfo_t *info);
/* Takes the oldest that `tid` may have, its own ones first. False: there is none,
 * since another thread was faster. *more: the receiver of one that is left
 * (HD_NO_THREAD: the process); false if nothing is. */
bool hd_sig_info_take(u16 tid, int signo, siginfo_t *out, bool *has_more, u16 *more);
/* Whom the one is sent to that `tid` would take: itself or the process (HD_NO_THREAD). */
u16 hd_sig_info_receiver(u16 tid, int signo);
/* Takes the oldest of those sent to `tid`; false: there is none. */
bool hd_sig_info_pop(u16 tid, int signo, siginfo_t *out);
/* Forgets all of signo. */
void hd_sig_info_drop(int signo);
/* ... all sent to thread t. */
void hd_sig_info_forget(u16 t);
/* How many are kept. */
u32 hd_sig_info_count(void);

#endif
