/* die.c: verdicts: fatal signals, assertions, deadlocks, our own bugs. Whatever
 * ends the run, what is known about it is in shared memory before the process
 * is gone. */
#include "runtime/core/verdict.h"

#include <ucontext.h>

#include "runtime/asm/trap.h"
#include "runtime/hook/caller.h"
#include "runtime/hook/detail.h"
#include "runtime/core/gate.h"
#include "runtime/libc/dispatch.h"
#include "runtime/libc/module.h"
#include "runtime/core/park.h"
#include "runtime/icept/signal/altstack.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define ALT_STACK_BYTES 65536
#define OVERFLOW_NEAR 65536
#define WIDEST_ACCESS 64 /* bytes */

s32 hd_verdict_pid;
bool hd_verdict_is_copy;

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};

void hd_stats_publish(void)
{
    struct hd_shm_run *m = hd_rt.run;
    const struct hd_sched *s = &hd_rt.sched;
    struct hd_stats *st = &m->stats;
    hd_detail_end();
    st->steps = s->step;
    st->switches = s->switches;
    st->preemptions = s->preemptions;
    st->points = s->points;
    st->hash = s->hash;
    st->threads = s->n_threads;
    st->log_n = m->log.n;
    st->vtime_ns = (u64)s->now;
    struct hd_shm_thread *t = hd_shm_threads(m);
    for (u32 i = 0; i < s->n_threads; i++) {
        t[i].points = s->thread[i].points;
        t[i].parent = s->thread[i].parent;
        t[i].call_site = s->thread[i].state == HD_T_FINISHED ? 0 : hd_caller_of((u16)i);
        if (s->thread[i].state != HD_T_RUNNING)
            t[i].state = s->thread[i].state;
        if (s->thread[i].state == HD_T_PENDING) { /* a wait has several parts */
            t[i].op_kind = s->thread[i].op.kind;
            t[i].op_obj = s->thread[i].op.obj;
            t[i].op_arg = s->thread[i].op.arg;
        }
    }
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t n = HD_MIN(hd_strlen(from), size - 1);
    hd_memcpy(to, from, n);
    to[n] = 0;
}

void hd_verdict_msg(const char *msg)
{
    copy_text(hd_rt.run->verdict.msg, sizeof hd_rt.run->verdict.msg, msg);
}

static _Noreturn void leave(int status)
{
    for (;;)
        hd_sys(SYS_exit_group, status);
}

static void write_verdict(enum hd_verdict_kind kind)
{
    struct hd_verdict *v = &hd_rt.run->verdict;
    v->kind = kind;
    v->tid = kind == HD_V_MISUSE ? v->misuse.tid : hd_tls.is_known ? hd_tls.tid : (u16)hd_baton;
    v->step = hd_rt.sched.step;
    v->cycle = hd_rt.sched.cycle;
    v->diverged = hd_rt.sched.diverged;
    hd_stats_publish();
}

void hd_verdict_signal(int signo)
{
    struct hd_verdict *v = &hd_rt.run->verdict;
    v->signo = (u16)signo;
    v->addr = v->pc = 0;
    hd_verdict_msg(HD_SENT_BY_SELF);
    write_verdict(HD_V_SIGNAL);
}

void hd_verdict_exit(u64 site)
{
    struct hd_verdict *v = &hd_rt.run->verdict;
    if (v->exit_pc) /* the first one's status counts */
        return;
    v->exit_tid = hd_tls.tid;
    v->exit_pc = site;
    hd_shm_threads(hd_rt.run)[hd_tls.tid].call_site = hd_caller_of(hd_tls.tid);
}

_Noreturn void hd_die(enum hd_verdict_kind kind, const char *msg)
{
    hd_tls.inside++;
    if (*msg)
        hd_verdict_msg(msg);
    write_verdict(kind);
    if (hd_verdict_is_copy && kind == HD_V_DEADLOCK)
        leave(HD_COPY_WAITS);
    leave(kind == HD_V_DIVERGED || kind == HD_V_LIMIT ? 98 : 66);
}

_Noreturn void hd_die_limit(enum hd_run_limit limit)
{
    hd_rt.run->verdict.limit = limit;
    hd_die(HD_V_LIMIT, "");
}

static void on_bug(const char *file, int line, const char *text)
{
    char where[256];
    size_t n = HD_MIN(hd_strlen(file), (size_t)100);
    hd_memcpy(where, file, n);
    where[n++] = ':';
    n += hd_put_u64(where + n, (u64)line);
    where[n++] = ' ';
    copy_text(where + n, sizeof where - n, text);
    if (hd_rt.run) {
        hd_verdict_msg(where);
        write_verdict(HD_V_BUG);
    }
    hd_sys(SYS_write, 2, "heddle: internal error: ", 24);
    hd_sys(SYS_write, 2, where, hd_strlen(where));
    hd_sys(SYS_write, 2, "\n", 1);
}

/* ---- fatal signals ------------------------------------------------------------- */

bool hd_verdict_owns(int signo)
{
    for (size_t i = 0; i < HD_COUNT(fatal); i++)
        if (fatal[i] == signo)
            return true;
    return false;
}

static void default_again(int signo)
{
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        u64 mask;
    } dfl = {SIG_DFL, 0, 0, 0};
    hd_sys(SYS_rt_sigaction, signo, &dfl, 0, 8);
}

/* Does the program let this signal, sent by a process, end it at once? */
static bool is_deadly(int signo)
{
    struct sigaction user;
    const struct hd_sched *s = &hd_rt.sched;
    if (hd_sig_user_handler(signo, &user) || hd_sig_get(signo)->sa_handler == SIG_IGN)
        return false;
    for (u32 t = 0; t < s->n_threads; t++)
        if (hd_thread[t].is_live && !(s->thread[t].sig_blocked & hd_sig_bit(signo)))
            return true;
    return false;
}

_Noreturn void hd_verdict_sent(int signo, const siginfo_t *info)
{
    struct hd_verdict *v = &hd_rt.run->verdict;
    hd_tls.inside++;
    v->signo = (u16)signo;
    v->code = info->si_code;
    v->addr = v->pc = 0;
    hd_verdict_msg(hd_sig_is_foreign(info) ? HD_SENT_BY_OTHER : HD_SENT_BY_SELF);
    write_verdict(HD_V_SIGNAL);
    leave(128 + signo);
}

/* A fault so near the stack pointer: the stack was used up, by whoever was in the way. */
static bool is_overflow(const siginfo_t *info, const ucontext_t *uc)
{
    u64 sp = (u64)uc->uc_mcontext.gregs[REG_RSP], at = (u64)info->si_addr;
    return info->si_signo == SIGSEGV && at + OVERFLOW_NEAR >= sp && at < sp + OVERFLOW_NEAR;
}

/* What faults does not happen: no race, if the handler leaves by a jump. If it returns, the access
 * is made after all. */
static void call_handler(const struct sigaction *user, int signo, siginfo_t *info, void *context)
{
    bool is_access = info->si_code > 0 && (signo == SIGSEGV || signo == SIGBUS) && hd_on();
    u64 addr = (u64)info->si_addr;
    if (is_access)
        hd_note(HD_EV_BENIGN, 0, addr, WIDEST_ACCESS);
    if (user->sa_flags & SA_SIGINFO)
        user->sa_sigaction(signo, info, context);
    else
        user->sa_handler(signo);
    if (is_access)
        hd_note(HD_EV_BENIGN, 0, addr, 0);
}

static void on_fatal(int signo, siginfo_t *info, void *context)
{
    struct sigaction user;
    bool is_sent = info->si_code <= 0; /* by some process, not by the processor */
    ucontext_t *uc = context;
    if ((signo == SIGSYS && hd_dispatch_take(info, uc)) || (signo == SIGILL && !is_sent && hd_trap_take(uc)))
        return;
    hd_trap_blame(uc);
    u64 pc = (u64)uc->uc_mcontext.gregs[REG_RIP];
    if (!is_sent && hd_user_recover(&pc)) {
        uc->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
        return;
    }
    if (!hd_rt.is_on || hd_sys(SYS_getpid, 0) != hd_verdict_pid) { /* a child: not ours to judge */
        default_again(signo);
        if (is_sent)
            hd_sys(SYS_tgkill, hd_sys(SYS_getpid, 0), hd_sys(SYS_gettid, 0), signo);
        return;
    }
    if (is_sent && hd_sig_is_foreign(info)) {
        if (is_deadly(signo))
            hd_verdict_sent(signo, info);
        hd_sig_arrive(signo, info); /* its handler runs at a scheduling point */
        return;
    }
    bool is_programs = !hd_tls.inside || (!is_sent && is_overflow(info, uc));
    if (is_programs && hd_sig_user_handler(signo, &user)) {
        call_handler(&user, signo, info, context);
        return;
    }
    if (is_sent && signo != SIGABRT)
        hd_verdict_sent(signo, info);
    bool is_ours = !is_programs && signo != SIGABRT;
    struct hd_verdict *v = &hd_rt.run->verdict;
    hd_tls.inside++;
    v->signo = (u16)signo;
    v->code = info->si_code;
    v->addr = signo == SIGABRT ? 0 : (u64)info->si_addr;
    v->pc = pc;
    if (is_ours)
        hd_verdict_msg("a fault inside the runtime");
    write_verdict(is_ours ? HD_V_BUG : signo == SIGABRT ? HD_V_ASSERT : HD_V_SIGNAL);
    leave(128 + signo); /* no core dump for each failing run */
}

void *hd_verdict_stack(void) { return hd_arena_alloc(NULL, ALT_STACK_BYTES); }

void hd_verdict_thread(void *stack)
{
    hd_altstack_begin(stack, ALT_STACK_BYTES);
}

void hd_verdict_init(void)
{
    hd_bug_hook = on_bug;
    hd_verdict_pid = (s32)hd_sys(SYS_getpid, 0);
    hd_verdict_thread(hd_verdict_stack());
    struct sigaction sa = {.sa_sigaction = on_fatal};
    for (size_t i = 0; i < HD_COUNT(fatal); i++) {
        bool may_wait = fatal[i] == SIGSYS || fatal[i] == SIGILL; /* a call or an instruction to serve */
        sa.sa_flags = SA_SIGINFO | SA_NODEFER | (may_wait ? 0 : SA_ONSTACK);
        HD_REAL(sigaction)(fatal[i], &sa, NULL);
    }
}

/* ---- assertions ------------------------------------------------------------------ */

static size_t append(char *to, size_t at, size_t size, const char *text)
{
    size_t n = HD_MIN(hd_strlen(text), size - 1 - at);
    hd_memcpy(to + at, text, n);
    to[at + n] = 0;
    return at + n;
}

/* Prints what glibc prints, and keeps the text for the report. */
static _Noreturn void assertion(const char *expr, const char *file, unsigned line, const char *func)
{
    char text[480], num[24];
    num[hd_put_u64(num, line)] = 0;
    const char *parts[] = {file, ":", num, ": ", func ? func : "", func ? ": " : "",
                           "Assertion `", expr, "' failed."};
    size_t n = 0;
    for (size_t i = 0; i < HD_COUNT(parts); i++)
        n = append(text, n, sizeof text, parts[i]);
    if (hd_rt.run && hd_rt.is_on)
        hd_verdict_msg(text);
    text[n++] = '\n';
    hd_sys(SYS_write, 2, text, n);
    HD_REAL(abort)();
    __builtin_unreachable();
}

HD_EXPORT _Noreturn void __assert_fail(const char *expr, const char *file, unsigned line, const char *func);
HD_EXPORT _Noreturn void __assert_fail(const char *expr, const char *file, unsigned line, const char *func)
{
    assertion(expr, file, line, func);
}

HD_EXPORT _Noreturn void __assert(const char *expr, const char *file, int line);
HD_EXPORT _Noreturn void __assert(const char *expr, const char *file, int line)
{
    assertion(expr, file, (unsigned)line, NULL);
}

HD_EXPORT _Noreturn void abort(void)
{
    HD_REAL(abort)();
    __builtin_unreachable();
}

/* ---- marks ------------------------------------------------------------------------ */

void hd_uncontrolled(enum hd_uncontrolled why, const char *call)
{
    struct hd_stats *st = &hd_rt.run->stats;
    if (!st->uncontrolled)
        copy_text(st->uncontrolled_call, sizeof st->uncontrolled_call, call);
    st->uncontrolled |= 1u << why;
}

size_t hd_put_u64(char *to, u64 value)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    for (size_t i = 0; i < n; i++)
        to[i] = digits[n - 1 - i];
    return n;
}

_Noreturn void hd_die_unreachable(void)
{
    struct hd_cycle *c = &hd_rt.sched.cycle;
    c->n = 0;
    c->is_cycle = false;
    for (u32 t = 0; t < hd_rt.sched.n_threads && c->n < HD_COUNT(c->tid); t++) {
        const struct hd_sthread *th = &hd_rt.sched.thread[t];
        if (th->state != HD_T_PENDING)
            continue;
        c->tid[c->n] = (u16)t;
        c->obj[c->n++] = th->op.obj;
    }
    hd_die(HD_V_DEADLOCK, "every thread waits, and the descriptors they wait for are known to "
                          "this process only");
}
