/* news_emit.c: see news_emit.h. */
#include "runtime/news/news_emit.h"

#include "runtime/filter/pass.h"
#include "runtime/filter/shadow.h"
#include "runtime/hook/detail.h"
#include "runtime/libc/user_mem.h"
#include "runtime/news/news.h"

#define DETAIL_STEPS 32768u

/* The host may look at it when the thread's number means somebody else. */
static void add_stack(struct hd_event *ev)
{
    const struct hd_shm_thread *t = &hd_shm_threads(hd_rt.run)[ev->tid];
    ev->obj = t->stack_lo;
    ev->arg = (u32)HD_MIN(t->stack_hi - t->stack_lo, (u64)UINT32_MAX);
}

/* Details cost time: of a run that goes on for ever only the end, or what it is about, is of interest. */
static bool is_near_end(u32 step)
{
    const struct hd_shm_host *h = hd_rt.host;
    return step < DETAIL_STEPS || step + DETAIL_STEPS >= (h->look_step ? h->look_step : h->script_steps);
}

/* A run with details that is about one moment, not about its end: a race or violation that is driven, or
 * replayed. */
static bool has_come(u32 step)
{
    const struct hd_sched *s = &hd_rt.sched;
    if (hd_rt.host->script_n)
        return hd_rt.host->look_step && step >= hd_rt.host->look_step;
    return hd_rt.server->goals.n && s->cfg.strategy && s->cfg.strategy->is_done &&
           s->cfg.strategy->is_done(s->strategy_state);
}

/* A compare-exchange happens as soon as its thread goes on: what it finds is there now. A bad
 * address fails then, in the right place. */
static void add_comparison(struct hd_event *ev)
{
    const struct hd_op *op = &hd_rt.sched.thread[ev->tid].op;
    u64 expected[2] = {op->arg2, op->obj2}, found[2] = {0, 0};
    u32 n = HD_MIN(op->size, (u32)sizeof found), failed = ev->arg >> HD_MO_FAILURE & HD_MO_MASK;
    bool is_same = hd_user_read(found, (const void *)ev->obj, n) &&
                   !hd_memcmp(found, expected, n);
    ev->arg = is_same ? ev->arg & HD_MO_MASK : failed | HD_MO_FAILED;
}

void hd_news_emit(void *self, const struct hd_event *ev)
{
    const struct hd_config *cfg = &hd_rt.server->cfg;
    struct hd_event compared, reported;
    if (ev->kind == HD_EV_ARMW && ev->arg & HD_MO_COMPARES) {
        compared = *ev;
        add_comparison(&compared);
        ev = &compared;
    }
    reported = *ev;
    if (cfg->mode & HD_MODE_VALUES) {
        reported.arg = hd_detail_hash(ev);
        hd_news_left = hd_news_is_late() ? 0 : hd_detail_left(); /* later it may wait in the backlog */
        hd_detail_wrote(ev);
    }
    if (cfg->mode & HD_MODE_STREAM && ev->kind == HD_EV_EXIT)
        add_stack(&reported);
    if (HD_UNLIKELY(cfg->mode & HD_MODE_DETAIL) && !hd_news_is_over()) {
        if (is_near_end(ev->step))
            hd_detail_note(ev, hd_rt.run->ring_written);
        if (!(cfg->mode & HD_MODE_STREAM) && has_come(ev->step))
            hd_news_end_soon();
    }
    hd_news_event(&reported);
    if (ev->kind > HD_EV_WRITE)
        hd_shadow_sync(ev);
    if (HD_UNLIKELY(hd_pass_is_on))
        hd_pass_sync(ev);
}
