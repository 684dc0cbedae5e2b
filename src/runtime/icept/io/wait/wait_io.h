/* wait_io.h: threads that wait for descriptors, children, file locks: for
 * anything that only the kernel can answer.
 *
 * No thread blocks in the real call. It states an HD_EV_IO operation, and
 * whoever holds the baton asks the kernel on behalf of all that wait: in
 * passing (hd_io_refresh) while others can run, for real (hd_io_block) when
 * nobody can.
 */
#ifndef HD_WAIT_IO_H
#define HD_WAIT_IO_H

#include "runtime/core/rt.h"

/* Set by every call that may have changed what is ready; cleared by refresh. */
extern bool hd_io_dirty;
/* Threads that wait (an upper bound: one that left by cancellation is dropped
 * at the next refresh). */
extern u32 hd_io_waiting;
/* A child process exists or existed: any descriptor may have a second owner. */
extern bool hd_io_is_shared;

/* Asks for all waiting threads and tells the scheduler. Baton held. */
void hd_io_refresh(void);
/* Nobody can run: waits until some thread is ready (during replay: `wanted`,
 * for a while), a signal or a thread comes from outside, or the earliest timer
 * is due: then virtual time jumps there. Ends the run if none of these can
 * ever happen. Baton held. */
void hd_io_block(u16 wanted);

/* Nobody can run, but a signal from outside may come: waits for one for a while. */
void hd_io_await_signal(void);

/* Are there children that have not been waited for? A callback of the scheduler. */
bool hd_io_has_children(void *self);

/* Beside children, at every decision: real time passes for threads that wait by looping; */
void hd_io_spin_beside_real(void);
/* and where a strict script says that the clock moves they get that time, too. */
void hd_io_follow_clock(void);

/* The long form of hd_wait_io. */
enum {
    HD_WAIT_EXTERNAL = 1,   /* another process can end this wait */
    HD_WAIT_NO_RESTART = 2, /* EINTR also after handlers with SA_RESTART */
    HD_WAIT_RECORDED = 4,   /* the call's answer is recorded (io_result.h) */
};
int hd_wait_full(const struct hd_wait *w, s64 deadline, int fd_for_event, u64 site, u8 op_flags,
                 u8 how);
/* Does thread t wait in a call that no SA_RESTART restarts? */
bool hd_wait_never_restarts(u16 t);

/* A handler may wait itself: the wait it interrupts is put aside meanwhile. */
struct hd_wait_aside {
    const struct hd_wait *w; /* NULL: none was under way */
    u8 how;
};
struct hd_wait_aside hd_wait_put_aside(u16 t);
void hd_wait_take_up(u16 t, struct hd_wait_aside aside);

/* CPUs the program may use, as before the host pinned it (filled by init.c). */
extern cpu_set_t hd_original_affinity;
/* A new thread may use what its attributes name, or else what its creator may. */
void hd_affinity_inherit(u16 t, u16 parent, const pthread_attr_t *attr);

#endif
