/* sig_descriptor.h: signals that a signalfd reads. Only the kernel makes it readable, so they are
 * sent there while everybody blocks them; all others stay in the scheduler. Baton held. */
#ifndef HD_SIG_DESCRIPTOR_H
#define HD_SIG_DESCRIPTOR_H

#include "runtime/core/rt.h"

/* Signals some signalfd reads: bit n-1. */
extern u64 hd_sig_descriptors;

/* Shall signal signo to `tid` (HD_NO_THREAD: the process) be sent to the kernel? */
bool hd_sig_by_descriptor(u16 tid, int signo);
/* Sends it; info may be NULL: as by kill(). 0 or an errno. */
int hd_sig_send_really(u16 tid, int signo, const siginfo_t *info);
/* There is a signalfd for these. What is pending of them goes to the kernel. */
void hd_sig_descriptor_add(u64 set);
/* Masks or waits have changed: sends what nobody but a signalfd can take now. */
void hd_sig_descriptor_flush(void);
/* The caller may have read signals: their timers go on. */
void hd_sig_descriptor_read(void);

/* Has a signal been sent to thread t itself since it last looked? Only it can see whether that has
 * made a descriptor readable. */
bool hd_sig_has_news(u16 t);
void hd_sig_has_looked(u16 t);

#endif
