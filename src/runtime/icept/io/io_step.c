/* io_step.c: input and output that does not wait: one step of its thread, or a look that is
 * none; see io_step.h. */
#include "runtime/icept/io/io_step.h"

#include "runtime/icept/io/fdinfo.h"

#define QUERIES 16 /* looks without a step are a loop */

static u64 idle_site[HD_MAX_THREADS]; /* where the thread's last call found nothing to do, or 0 */

static void step(int fd, u64 site, u8 op_flags, u8 does)
{
    if (hd_fd_is_no_step(fd, site, op_flags))
        return;
    struct hd_op op = hd_op_make(HD_EV_IO, site, (u64)(s64)fd);
    op.arg = 1;
    op.size = does;
    op.flags = op_flags;
    u64 *before = &idle_site[hd_tls.tid];
    if (*before == site)
        op.flags |= HD_OP_PLAIN_SPIN;
    *before = 0;
    hd_gate(&op);
}

void hd_io_step(int fd, u64 site) { step(fd, site, HD_OP_CANCEL, 0); }
void hd_io_quiet_step(int fd, u64 site) { step(fd, site, 0, 0); }
void hd_io_close_step(int fd, u64 site, bool is_quiet)
{
    step(fd, site, is_quiet ? 0 : HD_OP_CANCEL, HD_IO_CLOSES);
}

void hd_io_no_progress(u64 site) { idle_site[hd_tls.tid] = site; }
void hd_io_progress(u16 t) { idle_site[t] = 0; }

/* Gives way if this is one of many looks since when nothing else has happened; `since`: the step
 * after the last one. */
static bool looks_in_vain(u64 since, u64 site)
{
    static u32 n;
    n = hd_rt.sched.step == since ? n + 1 : 1;
    if (n % QUERIES == 0)
        hd_gate_obj(HD_EV_YIELD, site, NULL, 0);
    return n % QUERIES == 0;
}

static u64 looked; /* the step after the last look */

void hd_io_query(u64 site)
{
    looks_in_vain(looked, site);
    looked = hd_rt.sched.step;
}

void hd_io_change(int fd, u64 site, u8 op_flags) { step(fd, site, op_flags, HD_IO_CHANGES); }

void hd_io_look(int fd, u64 site)
{
    if (!looks_in_vain(looked, site) && hd_rt.sched.n_live > 1)
        step(fd, site, 0, HD_IO_LOOKS);
    looked = hd_rt.sched.step;
}
