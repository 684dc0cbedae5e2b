/* io_step.c: input and output that does not wait: one step of its thread, or a look that is
 * none; see io_step.h. */
#include "runtime/icept/io/io_step.h"

#include "runtime/icept/io/fdinfo.h"

#define QUERIES 16 /* looks without a step are a loop */

static u64 idle_site[HD_MAX_THREADS]; /* where the thread's last call found nothing to do, or 0 */

static void step(int fd, u64 site, u8 op_flags, bool closes)
{
    if (hd_fd_is_no_step(fd, site, op_flags))
        return;
    struct hd_op op = hd_op_make(HD_EV_IO, site, (u64)(s64)fd);
    op.arg = 1;
    op.size = closes;
    op.flags = op_flags;
    u64 *before = &idle_site[hd_tls.tid];
    if (*before == site)
        op.flags |= HD_OP_PLAIN_SPIN;
    *before = 0;
    hd_gate(&op);
}

void hd_io_step(int fd, u64 site) { step(fd, site, HD_OP_CANCEL, false); }
void hd_io_quiet_step(int fd, u64 site) { step(fd, site, 0, false); }
void hd_io_close_step(int fd, u64 site, bool is_quiet)
{
    step(fd, site, is_quiet ? 0 : HD_OP_CANCEL, true);
}

void hd_io_no_progress(u64 site) { idle_site[hd_tls.tid] = site; }
void hd_io_progress(u16 t) { idle_site[t] = 0; }

void hd_io_query(u64 site)
{
    static u64 step; /* since this one, nobody but the calling thread has run */
    static u32 n;
    if (hd_rt.sched.step != step) {
        step = hd_rt.sched.step;
        n = 0;
    }
    if (++n % QUERIES == 0)
        hd_gate_obj(HD_EV_YIELD, site, NULL, 0);
}
