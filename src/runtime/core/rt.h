/* rt.h: what every file of the runtime may use. The runtime is the part of
 * Heddle that lives inside the target, as a drop-in for libtsan.
 *
 * Ground rules
 *  1. Exactly one thread of the target runs at a time: it holds the baton.
 *     Only the holder touches the runtime's state, so there are no locks.
 *  2. No malloc, no stdio, no libc function that could come back through an
 *     interceptor: raw system calls (sys.h) and HD_REAL(function) only.
 *  3. errno belongs to the program: an interceptor sets it exactly as the real
 *     call would, and leaves it alone otherwise.
 *  4. Interceptors start with `if (!hd_on()) return HD_REAL(f)(...);`: before
 *     start-up, in forked children and inside the runtime itself everything
 *     passes through to the real function.
 *  5. Export whole families (see docs/design/loader.md): a missing member is
 *     bound to glibc's oldest version of it.
 *
 * Files: init.c (take over, fork server in server.c), gate.c (scheduling
 * points), park_kernel.c (hand the baton over), site.c/shadow.c (which accesses
 * matter), hook_*.c (compiler calls), icept_*.c (libc calls), heap.c (malloc),
 * die.c (verdicts), module.c (loaded objects), real.c (real functions).
 */
#ifndef HD_RT_H
#define HD_RT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "base/base.h"
#include "event/event.h"
#include "event/shm.h"
#include "runtime/libc/real/real.h"
#include "sched/sched.h"

struct hd_hb_clock;

/* Per kernel thread; initial-exec TLS, so access costs one instruction. */
struct hd_tls {
    u16 tid;             /* our number */
    bool is_known;       /* registered with sched */
    u8 inside;           /* > 0: runtime code is running, hooks and interceptors pass */
    u8 ignore;           /* > 0: __tsan_ignore_*: accesses are not looked at */
    u16 atomics;         /* pass.h: operations so far */
    struct hd_shm_thread *info;
    struct hd_frame *frames; /* shadow stack */
    u64 stack_lo, stack_hi;
    u64 paused_at;       /* asm/trap.c: points so far when it met `pause` */
    u64 word;            /* asm/word.c: the one it updated last */
    u64 idle_site;       /* atomic update that changed nothing: its retry is a spin */
    u32 segment;         /* hb.c: number of the present one, 0 = begin a new one */
    const struct hd_hb_clock *clock; /* hb.c: of the thread, NULL = has none */
    u32 looks;           /* access.c: accesses looked at in it */
    u32 spin_hits;       /* poll_loop.h: reads in a row that were met before, */
    u32 spin_count;      /* accesses in the present cycle, */
    u64 spin_addr[8];    /* what was read lately, */
    struct hd_poll_set *spin_set; /* and in the present window */
};
extern __thread struct hd_tls hd_tls __attribute__((tls_model("initial-exec")));

struct hd_rt {
    bool is_on;          /* the program is under control */
    /* Shared memory (event/shm.h); NULL while off. The server writes its own part through a
     * mapping that runs do not have (server.c). */
    const struct hd_shm_host *host;
    const struct hd_shm_server *server;
    struct hd_shm_run *run;
    struct hd_sched sched;
};
extern HD_HIDDEN struct hd_rt hd_rt;

bool hd_on_slow(void);
/* Is this call to be controlled? Registers a thread made behind our back. */
HD_INLINE bool hd_on(void)
{
    return HD_LIKELY(hd_rt.is_on) && !hd_tls.inside && (HD_LIKELY(hd_tls.is_known) || hd_on_slow());
}

/* Site of an interceptor's caller. Only in the exported function itself. */
#define HD_SITE() ((u64)__builtin_return_address(0))

/* THE scheduling point: states `op`, returns when it has taken effect. Runs
 * signal handlers that became due; err is EINTR if one ended an
 * HD_OP_INTERRUPTIBLE operation; does not return if the thread is cancelled at
 * an HD_OP_CANCEL operation. Fills op's ctx. Pre: hd_on(). */
struct hd_res hd_gate(struct hd_op *op);

/* Shorthand for the common forms. deadline HD_NEVER = wait for ever. */
HD_INLINE struct hd_op hd_op_make(u8 kind, u64 site, u64 obj)
{
    return (struct hd_op){.kind = kind, .site = site, .obj = obj, .deadline = HD_NEVER};
}
struct hd_res hd_gate_obj(u8 kind, u64 site, const volatile void *obj, u64 arg);

/* An event without a scheduling point. */
void hd_note(u8 kind, u64 site, u64 obj, u64 arg);
void hd_note_op(struct hd_op *op);
/* The same for a plain access: for a host that listens, no part of the run. */
void hd_note_access(u8 kind, u64 addr, u32 size, u64 site, u32 arg);

/* libc touched memory on the program's behalf (memcpy, strlen, read, ...). */
void hd_access(const volatile void *addr, size_t len, bool is_write, u64 site);

/* This run is not fully controlled because of `call` (static text). */
void hd_uncontrolled(enum hd_uncontrolled why, const char *call);

/* ---- time -------------------------------------------------------------- */
/* Virtual time now, ns since the run began. */
s64 hd_now(void);
/* Deadlines in virtual ns from an absolute timespec of `clock` / a relative
 * one. NULL = HD_NEVER. Past deadlines stay in the past. */
s64 hd_deadline_abs(clockid_t clock, const struct timespec *ts);
s64 hd_deadline_rel(s64 ns);
/* Of a timespec or timeval; HD_NEVER where it is more than can be counted: programs give LONG_MAX
 * seconds for "never". */
HD_INLINE s64 hd_ns_of(s64 sec, s64 ns)
{
    return sec >= HD_NEVER / 1000000000 ? HD_NEVER : sec * 1000000000 + ns;
}

/* ---- chance ------------------------------------------------------------- */
/* Fills buf with numbers of this campaign's data stream (replayable). */
void hd_random_fill(void *buf, size_t n);

/* ---- waiting for the outside world -------------------------------------- */
/* Blocks (as an HD_EV_IO operation) until one of the descriptors is ready or
 * the deadline passes. Returns 0 ready, ETIMEDOUT, or EINTR. `probe`, if given,
 * is asked instead of poll(): non-zero = ready; it must have no side effect. */
struct hd_wait {
    struct pollfd *fds;
    u32 n;
    int (*probe)(void *arg);
    void *arg;
};
int hd_wait_io(const struct hd_wait *w, s64 deadline, int fd_for_event, u64 site, u8 op_flags);
/* A call that cannot block (regular file, O_NONBLOCK): just a step. */
void hd_io_step(int fd, u64 site);
/* Descriptors the runtime owns are hidden from the program's close() & co. */
bool hd_fd_is_ours(int fd);

/* ---- cancellation -------------------------------------------------------- */
void hd_testcancel(u64 site); /* leaves by pthread_exit if cancelled */

/* ---- ends ----------------------------------------------------------------- */
/* Writes the verdict and ends the process at once. */
_Noreturn void hd_die(enum hd_verdict_kind kind, const char *msg);
/* ... because a limit of ours was met: inconclusive. */
_Noreturn void hd_die_limit(enum hd_run_limit limit);
/* All threads wait for descriptors that nobody else has. */
_Noreturn void hd_die_unreachable(void);
void hd_verdict_msg(const char *msg); /* remember text for the verdict to come */

#endif
