/* fifo.h: open() of a FIFO, which waits for the other end. */
#ifndef HD_FIFO_H
#define HD_FIFO_H

#include "runtime/core/rt.h"

/* Would this open wait for another one? */
bool hd_fifo_blocks(int dir, const char *path, int flags);
/* Does it, under control: a descriptor, or -1 and errno. */
int hd_fifo_open(int dir, const char *path, int flags, u64 site);

/* The calling thread leaves an open that waits, by cancellation or a jump out of a signal
 * handler: what it has opened already is closed. */
void hd_fifo_leave(void);

/* Flags of open() that fopen() uses for `mode`. */
int hd_fifo_mode_flags(const char *mode);

#endif
