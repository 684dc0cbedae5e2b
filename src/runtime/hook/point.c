/* point.c: see point.h. What hd_gate_pass and hd_decide look at before they ask the scheduler is
 * looked at here as well; whatever is not as it is between two steps of one thread leads there. */
#include "runtime/hook/point.h"

#include "runtime/asm/word.h"
#include "runtime/core/gate.h"
#include "runtime/core/park.h"
#include "runtime/core/watchdog.h"
#include "runtime/filter/hb.h"
#include "runtime/filter/site.h"
#include "runtime/heap/heap_check.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/icept/signal/signals.h"

/* Is there nothing from outside that could change who is enabled, and no debugger to stop for? */
static bool is_still(const struct hd_sched *s, u16 t)
{
    u64 outside = hd_sig_arrived | hd_n_blocked_outside | hd_n_unregistered | s->is_beside_real |
                  hd_thread[t].cancel_pending;
    return !outside && hd_timer_next() == s->timer &&
           (!hd_io_waiting || !(hd_io_dirty || s->step % HD_IO_REFRESH_STEPS == 0)) &&
           hd_rt.host->stop_step != s->step + 1;
}

/* As `publish` and `publish_stats` of gate.c. */
static void publish(const struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_shm_thread *info = hd_tls.info;
    struct hd_stats *st = &hd_rt.run->stats;
    info->op_kind = op->kind;
    info->op_site = op->site;
    info->op_obj = op->obj;
    info->points = s->thread[t].points;
    st->steps = s->step;
    st->points = s->points;
    st->hash = s->hash;
    st->vtime_ns = (u64)s->now;
    st->shadow_checks = hd_site_shadow_checks;
}

static bool goes_on(struct hd_op *op)
{
    struct hd_sched *s = &hd_rt.sched;
    u16 t = hd_tls.tid;
    bool is_done = false;
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* "inside" before looking: watchdog.c */
    if (HD_LIKELY(__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) == t) && HD_LIKELY(is_still(s, t))) {
        hd_word_settle(); /* as the gate does */
        op->ctx = hd_gate_context();
        is_done = hd_sched_quiet(s, t, op);
    }
    if (is_done) {
        hd_epoch++;
        if (HD_UNLIKELY(hd_rt.run->stats.is_heap_sampled))
            hd_heap_decided();
        publish(s, t, op);
    }
    hd_tls.inside--;
    return is_done;
}

void hd_point(struct hd_op *op)
{
    const struct hd_sched *s = &hd_rt.sched;
    if (s->step >= s->quiet.until || !goes_on(op))
        hd_gate(op);
}
