/* gate.c: the scheduling point: a thread states its operation, the scheduler
 * decides, the baton moves. Everything that can change who is enabled from
 * outside (signals, timers, I/O, threads coming back) is looked at here, in
 * hd_decide, by whoever holds the baton.
 */
#include "runtime/core/gate.h"

#include "runtime/asm/word.h"

#include "runtime/icept/process/child.h"
#include "runtime/heap/heap_check.h"
#include "runtime/icept/sync/sync.h"
#include "runtime/libc/libc_lock.h"
#include "runtime/icept/sync/misuse.h"
#include "runtime/core/park.h"
#include "runtime/filter/shadow.h"
#include "runtime/icept/signal/sig_info.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/filter/site.h"
#include "runtime/news/news.h"
#include "runtime/news/news_emit.h"
#include "runtime/core/stop.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/fifo.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/core/watchdog.h"

struct hd_thread hd_thread[HD_MAX_THREADS];
/* Of x86-64 Linux: a program is loaded below this many bytes from its start, ... */
#define AREA ((u64)1 << 40)
/* ... mappings are made from the top of the address space down. */
#define MAPPED_FROM 0x700000000000ull

static const struct hd_shm_thread *main_thread;
u64 hd_stack_anchor;

void hd_gate_init(void)
{
    hd_news_init();
    main_thread = &hd_shm_threads(hd_rt.run)[0];
}

/* With address randomization the kernel moves three areas, each as a whole: the program,
 * everything mapped (stacks of threads, this library), and main's stack. Between libraries
 * there are gaps that depend on where they are: each counts from its own beginning. */
static u64 unmoved(u64 addr)
{
    extern const char __ehdr_start[] __attribute__((visibility("hidden")));
    const struct hd_module *all = hd_shm_modules(hd_rt.run);
    const u64 program = all[0].bias, mapped = (u64)__ehdr_start;
    for (u32 i = 1; i < hd_rt.run->n_modules; i++)
        if (addr - all[i].start < all[i].end - all[i].start)
            return addr - all[i].bias + AREA * (i + 1);
    if (addr - main_thread->stack_lo < main_thread->stack_hi - main_thread->stack_lo)
        return hd_stack_anchor - addr;
    if (addr - program < AREA)
        return addr - program;
    return addr >= MAPPED_FROM ? addr - mapped : addr;
}

u32 hd_gate_context(void)
{
    u32 depth = hd_tls.info->depth, h = 0;
    bool is_random = hd_rt.sched.cfg.is_random;
    u32 most = hd_rt.host->cfg.context, from = depth > most ? depth - most : 0;
    for (u32 i = from; i < depth && i < HD_SHM_FRAMES; i++)
        h = (h ^ (u32)(is_random ? unmoved(hd_tls.frames[i].pc) : hd_tls.frames[i].pc)) * 0x9e3779b1u;
    return h;
}

/* Stack addresses relative to their thread's stack: its place depends on the
 * size of the environment, which may differ when a run is replayed. */
u64 hd_gate_normal(void *self, u64 obj)
{
    if (hd_rt.sched.cfg.is_random)
        return unmoved(obj);
    if (obj - hd_tls.stack_lo < hd_tls.stack_hi - hd_tls.stack_lo)
        return hd_tls.stack_hi - obj;
    if (obj - main_thread->stack_lo < main_thread->stack_hi - main_thread->stack_lo)
        return main_thread->stack_hi - obj;
    return obj;
}

static void publish(u16 t, const struct hd_op *op)
{
    struct hd_shm_thread *info = hd_tls.info;
    info->op_kind = op->kind;
    info->op_site = op->site;
    info->op_obj = op->obj;
    info->state = HD_T_PENDING;
}

static void run_out_of_candidates(void)
{
    struct hd_sched *s = &hd_rt.sched;
    s64 timer = hd_timer_next();
    if (timer != HD_NEVER) {
        hd_sched_clock_move(s, timer);
        return;
    }
    if (hd_n_blocked_outside) { /* somebody may come back from the kernel */
        u32 word = __atomic_load_n(&hd_back_word, __ATOMIC_SEQ_CST);
        hd_post_returned();
        hd_is_waiting = true;
        hd_park_sleep(&hd_back_word, word, 100000000);
        hd_is_waiting = false;
        return;
    }
    hd_is_waiting = true;
    bool comes = !s->cycle.is_cycle && hd_unregistered_may_come();
    hd_is_waiting = false;
    if (comes) {
        s->is_stuck = false;
        return;
    }
    if (!s->cycle.is_cycle && hd_child_may_signal()) {
        s->is_stuck = false;
        hd_is_waiting = true;
        hd_io_await_signal();
        hd_is_waiting = false;
        return;
    }
    hd_die(HD_V_DEADLOCK, "");
}

/* At every step, because the process may end at any moment. */
static void publish_stats(const struct hd_sched *s)
{
    struct hd_stats *st = &hd_rt.run->stats;
    st->steps = s->step;
    st->switches = s->switches;
    st->preemptions = s->preemptions;
    st->points = s->points;
    st->hash = s->hash;
    st->threads = s->n_threads;
    st->vtime_ns = (u64)s->now;
    st->end_hold_was = s->end_hold_was;
    st->had_handlers = s->had_handlers;
    st->has_circled = s->n_circles != 0;
    st->shadow_checks = hd_site_shadow_checks;
    if (HD_UNLIKELY(s->delay.ns != st->delay.ns))
        st->delay = s->delay;
    st->sleep_site = s->sleep_site;
    st->has_far = s->has_far;
    if (HD_UNLIKELY(s->cfg.strategy && s->cfg.strategy->count))
        s->cfg.strategy->count(s->strategy_state, st->by_rule);
    if (HD_UNLIKELY(s->cfg.strategy && s->cfg.strategy->tried))
        st->goals_tried = s->cfg.strategy->tried(s->strategy_state);
}

static _Noreturn void die_hanging(const struct hd_sched *s)
{
    static const char quiet[] = "each thread that can run comes back to where it was and changes "
                                "nothing for the others";
    static const char closed[] = "whichever thread goes next, the program comes back to one of ";
    char text[128];
    hd_rt.run->stats.proof_step = s->livelock.began;
    if (s->livelock.is_quiet)
        hd_die(HD_V_HANG, quiet);
    size_t n = sizeof closed - 1;
    hd_memcpy(text, closed, n);
    n += hd_put_u64(text + n, s->livelock.states);
    hd_memcpy(text + n, " states", 8);
    hd_die(HD_V_HANG, text);
}

/* Sites rest for whom has passed them often, not for the one that goes on now. */
static HD_COLD void look_again_for(u16 tid)
{
    const struct hd_tls *tls = hd_thread[tid].tls;
    if (!tls || tls->looks <= HD_SITE_LOOKS)
        hd_site_look_again();
}

u16 hd_decide(void)
{
    struct hd_sched *s = &hd_rt.sched;
    hd_epoch++;
    if (HD_UNLIKELY(hd_rt.run->stats.is_heap_sampled))
        hd_heap_decided();
    for (;;) {
        if (HD_UNLIKELY(hd_sig_arrived))
            hd_sig_poll();
        if (HD_UNLIKELY(hd_timer_next() <= s->now))
            hd_timer_fire(s->now);
        if (hd_io_waiting && (hd_io_dirty || s->step % HD_IO_REFRESH_STEPS == 0))
            hd_io_refresh();
        if (HD_UNLIKELY(hd_n_blocked_outside))
            hd_post_returned();
        if (HD_UNLIKELY(s->is_beside_real)) {
            hd_io_spin_beside_real();
            hd_io_follow_clock();
        }
        if (HD_UNLIKELY(hd_n_unregistered))
            hd_adopt_unregistered();
        u16 tid = HD_NO_THREAD;
        s->timer = hd_timer_next();
        enum hd_step r = hd_sched_step(s, &tid);
        hd_misuse_check();
        if (HD_LIKELY(r == HD_STEP_RESUME)) {
            publish_stats(s);
            if (HD_UNLIKELY(hd_site_n_resting) && tid != hd_tls.tid)
                look_again_for(tid);
            return tid;
        }
        switch (r) {
        case HD_STEP_IO:
            hd_is_waiting = true;
            hd_io_block(tid);
            hd_is_waiting = false;
            break;
        case HD_STEP_TIMER: /* fires as the loop begins again */
            break;
        case HD_STEP_DEADLOCK:
            run_out_of_candidates();
            break;
        case HD_STEP_LIMIT:
            hd_die_limit(s->limit);
        case HD_STEP_HANG:
            die_hanging(s);
        case HD_STEP_DIVERGED:
            hd_die(HD_V_DIVERGED, s->diverged.why);
        case HD_STEP_CUT:
            hd_die(HD_V_CUT, "");
        default:
            return HD_NO_THREAD; /* all threads have ended */
        }
    }
}

/* Leaves the thread if it was cancelled and may be. Inside on entry. */
static void act_on_cancel(u16 t)
{
    struct hd_thread *th = &hd_thread[t];
    th->cancel_pending = false;
    th->is_exiting = true;
    th->cancel_disabled = true;
    hd_rt.sched.thread[t].sig_pending &= ~((u64)1 << (HD_SIG_CANCEL - 1));
    hd_fifo_leave();
    hd_tls.inside--;
    HD_REAL(pthread_exit)(PTHREAD_CANCELED);
}

static bool may_cancel(const struct hd_thread *th, const struct hd_op *op)
{
    return !th->cancel_disabled && !th->is_exiting && (th->cancel_async || (op->flags & HD_OP_CANCEL));
}

/* Shall a cancellation end this operation? */
static void admit_cancel(u16 t, const struct hd_op *op)
{
    u64 *blocked = &hd_rt.sched.thread[t].sig_blocked, bit = (u64)1 << (HD_SIG_CANCEL - 1);
    *blocked = may_cancel(&hd_thread[t], op) ? *blocked & ~bit : *blocked | bit;
}

/* A futex wait with a time ends with EINTR also after handlers with SA_RESTART. */
static bool is_timed_futex(const struct hd_op *op)
{
    return (op->flags & HD_OP_TIMED) && (op->kind == HD_EV_SEM_WAIT || op->kind == HD_EV_FUTEX_WAIT);
}

/* Picks up the result after being resumed with signals to run. True: post
 * nothing more, *res is final. */
static bool handle_signals(u16 t, struct hd_op *op, struct hd_res *res)
{
    struct hd_sched *s = &hd_rt.sched;
    struct hd_thread *th = &hd_thread[t];
    if (res->value == HD_SIG_CANCEL) /* its sender may not have gone on yet */
        th->cancel_pending = true;
    if (th->cancel_pending && may_cancel(th, op)) {
        if (res->value != HD_SIG_CANCEL) /* not handled here: it is pending as before */
            hd_sched_signal(s, hd_sig_info_receiver(t, (int)res->value), (u32)res->value);
        bool relock = hd_sched_abandon(s, t);
        hd_tls.inside--;
        if (relock) /* a cancelled cond wait owns its mutex in cleanup handlers */
            hd_mutex_relock((pthread_mutex_t *)op->obj2, op->site);
        hd_tls.inside++;
        act_on_cancel(t);
    }
    hd_tls.inside--;
    bool restart = hd_sig_run_pending();
    hd_tls.inside++;
    if ((!restart || is_timed_futex(op)) && (op->flags & HD_OP_INTERRUPTIBLE)) {
        hd_sched_abandon(s, t);
        *res = (struct hd_res){.err = EINTR};
        return true;
    }
    admit_cancel(t, op); /* operations of the handler had their own say in these */
    publish(t, op);
    hd_sched_resume_op(s, t);
    return false;
}

/* For debuggers: the thread is about to go on with the step they wait for, and
 * returns to the program's code at hd_stop_site. */
volatile u64 hd_stop_site;
__attribute__((noinline)) void hd_stop_here(void)
{
    __asm__ volatile("" ::: "memory");
}

void hd_stop_if_due(u64 site)
{
    if (HD_LIKELY(!hd_rt.host->stop_step) || hd_rt.sched.step != hd_rt.host->stop_step)
        return;
    hd_stop_site = site;
    hd_stop_here();
}

/* Is it the yield of a thread that was stopped? */
static bool is_stop(const struct hd_op *op) { return op->kind == HD_EV_YIELD && !op->site; }

/* Called by hd_gate; `sp`: its frame. */
__attribute__((used)) struct hd_res hd_gate_pass(struct hd_op *op, u64 sp);
struct hd_res hd_gate_pass(struct hd_op *op, u64 sp)
{
    struct hd_sched *s = &hd_rt.sched;
    u16 t = hd_tls.tid;
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* "inside" before looking: watchdog.c */
    if (HD_UNLIKELY(__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) != t))
        hd_come_back(t);
    if (HD_UNLIKELY(s->script_pos < s->script.n) && hd_sched_wants_stop(s, t) &&
        !is_stop(op)) {
        hd_tls.inside--;
        hd_stop_scripted();
        hd_tls.inside++;
    }
    hd_word_settle();
    struct hd_thread *th = &hd_thread[t];
    u64 outer_sp = th->gate_sp;
    th->gate_sp = sp;
    if (HD_UNLIKELY(th->cancel_pending)) {
        if (may_cancel(th, op))
            act_on_cancel(t);
    }
    admit_cancel(t, op);
    op->ctx = hd_gate_context();
    publish(t, op);
    hd_sched_post(s, t, op);
    struct hd_res res;
    for (;;) {
        u16 next = hd_decide();
        if (next != t) {
            hd_park_pass(next);
            hd_park_wait(t);
        }
        hd_tls.info->state = HD_T_RUNNING;
        hd_tls.info->points = s->thread[t].points;
        res = s->thread[t].res;
        if (HD_LIKELY(!res.signal) || handle_signals(t, op, &res))
            break;
    }
    hd_stop_if_due(op->site);
    th->gate_sp = outer_sp; /* of the operation that a signal handler interrupted */
    hd_tls.inside--;
    return res;
}

/* Saves the registers that calls preserve, and nothing else: from there on up the stack is
 * what the thread goes on with (state.c). */
__attribute__((naked)) struct hd_res hd_gate(struct hd_op *op)
{
#define SAVE(reg) "push %" reg "\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset %" reg ", 0\n"
#define LOAD(reg) "pop %" reg "\n.cfi_adjust_cfa_offset -8\n.cfi_restore %" reg "\n"
    __asm__(SAVE("rbp") SAVE("rbx") SAVE("r12") SAVE("r13") SAVE("r14") SAVE("r15")
            "push $0\n.cfi_adjust_cfa_offset 8\n"
            "mov %rsp, %rdx\n" /* rdi: where the result goes, rsi: op */
            "call hd_gate_pass\n"
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"
            LOAD("r15") LOAD("r14") LOAD("r13") LOAD("r12") LOAD("rbx") LOAD("rbp") "ret");
}

struct hd_res hd_gate_obj(u8 kind, u64 site, const volatile void *obj, u64 arg)
{
    struct hd_op op = hd_op_make(kind, site, (u64)obj);
    op.arg = arg;
    return hd_gate(&op);
}

void hd_gate_exit(void)
{
    hd_libc_give_all();
    struct hd_sched *s = &hd_rt.sched;
    u16 t = hd_tls.tid;
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) != t)
        hd_come_back(t);
    hd_word_settle();
    struct hd_op op = hd_op_make(HD_EV_EXIT, 0, 0);
    publish(t, &op);
    s->thread[t].sig_blocked = ~(u64)0;
    hd_sched_post(s, t, &op);
    u16 next = hd_decide();
    if (next != t) {
        hd_park_pass(next);
        hd_park_wait(t);
    }
    HD_ASSERT(s->thread[t].state == HD_T_FINISHED);
    hd_tls.info->state = HD_T_FINISHED;
    hd_tls.is_known = false;
    hd_thread[t].is_finished = true;
    /* `inside` stays: what libc does from here on is its own business. */
    next = hd_decide();
    if (next != HD_NO_THREAD)
        hd_park_pass(next);
}

void hd_note(u8 kind, u64 site, u64 obj, u64 arg)
{
    struct hd_op op = hd_op_make(kind, site, obj);
    op.arg = arg;
    hd_note_op(&op);
}

void hd_note_op(struct hd_op *op)
{
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (HD_UNLIKELY(__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) != hd_tls.tid))
        hd_come_back(hd_tls.tid);
    op->ctx = hd_gate_context();
    hd_sched_note(&hd_rt.sched, hd_tls.tid, op);
    hd_tls.inside--;
}

void hd_note_access(u8 kind, u64 addr, u32 size, u64 site, u32 arg)
{
    hd_tls.inside++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (HD_UNLIKELY(__atomic_load_n(&hd_baton, __ATOMIC_RELAXED) != hd_tls.tid))
        hd_come_back(hd_tls.tid);
    struct hd_event ev = {.step = (u32)hd_rt.sched.step, .tid = hd_tls.tid, .kind = kind,
                          .size = (u8)HD_MIN(size, 255u), .site = site, .obj = addr,
                          .ctx = hd_gate_context(), .arg = arg | hd_event_wide_arg(size)};
    hd_news_emit(NULL, &ev);
    hd_tls.inside--;
}

void hd_testcancel(u64 site)
{
    struct hd_thread *th = &hd_thread[hd_tls.tid];
    if (th->cancel_pending && !th->cancel_disabled && !th->is_exiting) {
        hd_tls.inside++;
        act_on_cancel(hd_tls.tid);
    }
}
