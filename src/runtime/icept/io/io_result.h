/* io_result.h: what the world outside answered: how many bytes there were, which
 * descriptors were ready. Recorded, so that a replay can wait for the same; see
 * io_result.c. */
#ifndef HD_IO_RESULT_H
#define HD_IO_RESULT_H

#include "runtime/core/rt.h"

#define HD_SURE_NS 5000000000ll /* for what came in the recorded run, however busy the machine */

/* Can another process have a say in what a read from fd gives? */
bool hd_io_result_concerns(int fd);

/* In a strict replay, the recorded answer to the calling thread's next call (before
 * its step), or to the one whose step was the last; NULL = not known. fd: what the
 * call's event says. */
const struct hd_io_result *hd_io_result_next(int fd);
const struct hd_io_result *hd_io_result_now(int fd);
/* Are the results of a recorded run at hand? And the next one about `what` that the calling
 * thread got since its last step, each once: for what comes between steps. */
bool hd_io_result_is_replayed(void);
const struct hd_io_result *hd_io_result_take(s32 what);
#define HD_IO_RESULT_SIGNAL (-3) /* took this signal from outside */
/* The wait ended by time or by a signal, not because something was ready. */
bool hd_io_result_is_none(const struct hd_io_result *a);

/* After the step of a call on fd, before it reads: in a replay, waits for what is to
 * be there and lowers *n to it. 0, or the errno to fail with. */
int hd_io_result_await(int fd, size_t *n);
/* For calls that fill lists: waits until `is_there`; false if it does not come. */
bool hd_io_result_until(bool (*is_there)(void *arg), void *arg);

/* The call gave this (negative: errno). */
void hd_io_result_note(int fd, s64 value);
/* ... with a sum of the bytes read, 0 = not known. */
void hd_io_result_note_read(int fd, s64 value, u16 sum);
/* A replay read other bytes than the recorded run: the host is to say so. */
void hd_io_result_differs(int fd);
/* ... and this, one by one. In a replay, entry i of them; NULL = there are fewer. */
void hd_io_result_note_more(s32 what, s64 value);
const struct hd_io_result *hd_io_result_more(const struct hd_io_result *a, u32 i);

#endif
