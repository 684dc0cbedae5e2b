/* interrupt.h: signals of our own: Ctrl-C and the end of --time; see interrupt.c, base/stop.h. */
#ifndef HD_PROCESS_INTERRUPT_H
#define HD_PROCESS_INTERRUPT_H

#include "base/base.h"

/* What a broken pipe or a file over its limit means is said by errno (EPIPE, EFBIG). */
void hd_signals_ignore(void);
/* ... before exec: as programs expect them. Async-signal-safe. */
void hd_signals_default(void);
/* From now on the first SIGINT/SIGTERM/SIGHUP/SIGXCPU is counted, the second ends us. */
void hd_interrupt_catch(void);
void hd_interrupt_release(void);
u32 hd_interrupt_count(void);
/* At this time (monotonic) it is time to stop as well; INT64_MAX = never. */
void hd_interrupt_until(s64 ns);
int hd_interrupt_fd(void);  /* readable once there was one, -1 if not caught */
/* Groups to be killed when the second one comes. */
void hd_interrupt_add(int pid);
void hd_interrupt_remove(int pid);

#endif
