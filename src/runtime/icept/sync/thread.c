/* thread.c: threads from creation to their end.
 *
 * For libc every thread is joinable, whatever the program asked for, and is
 * really joined at a fixed point: in the program's join, or before the next
 * creation if it was detached. So when a stack is reused depends on the
 * schedule only, never on how fast the kernel buries a thread.
 */
#include "runtime/libc/dispatch.h"
#include "runtime/hook/caller.h"
#include "runtime/icept/process/child_clock.h"
#include "runtime/core/gate.h"
#include "runtime/icept/sync/key.h"
#include "runtime/core/park.h"
#include "runtime/core/server.h"
#include "runtime/started/stand_by.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/filter/site.h"
#include "runtime/core/verdict.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/icept/string/string_access.h"
#include "runtime/filter/fill.h"

#define STACK_DEFAULT ((u64)8 << 20)

u16 hd_thread_find(u64 handle)
{
    /* Newest first: handles are reused. */
    for (u32 t = hd_rt.sched.n_threads; t-- > 0;)
        if (hd_thread[t].handle == handle && hd_thread[t].is_live)
            return (u16)t;
    return HD_NO_THREAD;
}

static void *thread_main(void *arg)
{
    u16 t = (u16)(u64)arg;
    struct hd_thread *th = &hd_thread[t];
    u64 here = (u64)__builtin_frame_address(0);
    hd_tls.inside = 1;
    hd_thread_enter(t, here - th->stack_size, here);
    hd_key_thread_begin();
    hd_verdict_thread(th->alt_stack);
    hd_dispatch_thread();
    hd_park_wait(t);
    hd_tls.info->state = HD_T_RUNNING;
    hd_stop_if_due((u64)th->fn);
    hd_tls.inside = 0;
    return th->fn(th->arg);
}

/* Bury detached threads that have ended. */
static void reap(void)
{
    for (u32 t = 1; t < hd_rt.sched.n_threads; t++) {
        struct hd_thread *th = &hd_thread[t];
        if (th->is_live && th->is_finished && th->is_detached) {
            HD_REAL(pthread_join)(th->handle, NULL);
            th->is_live = false;
        }
    }
}

static int create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg,
                  bool is_helper, u64 site)
{
    hd_server_start(); /* a constructor makes threads: serve from here on */
    hd_tls.inside++;
    reap();
    u16 t = hd_sched_spawn(&hd_rt.sched, hd_tls.tid);
    if (t == HD_NO_THREAD)
        hd_die(HD_V_ENV, "more threads at a time than Heddle can follow");
    hd_sig_forget_thread(t);
    struct hd_thread *th = &hd_thread[t];
    int detach = PTHREAD_CREATE_JOINABLE;
    size_t stack = 0;
    pthread_attr_t own;
    if (attr) {
        pthread_attr_getdetachstate(attr, &detach);
        pthread_attr_getstacksize(attr, &stack);
        own = *attr;
        pthread_attr_setdetachstate(&own, PTHREAD_CREATE_JOINABLE);
    }
    *th = (struct hd_thread){.fn = fn,
                             .arg = arg,
                             .is_helper = is_helper,
                             .stack_size = stack ? stack : STACK_DEFAULT,
                             .alt_stack = hd_verdict_stack()};
    pthread_t handle;
    int err = HD_REAL(pthread_create)(&handle, attr ? &own : NULL, thread_main, (void *)(u64)t);
    if (err) {
        hd_sched_spawn_undo(&hd_rt.sched, t);
        hd_tls.inside--;
        return err;
    }
    th->handle = handle;
    th->is_live = true;
    hd_affinity_inherit(t, hd_tls.tid, attr);
    *out = handle;
    struct hd_shm_thread *info = &hd_shm_threads(hd_rt.run)[t];
    info->create_site = site;
    u32 n = hd_caller_stack(info->create_pc, HD_CREATE_FRAMES, site);
    if (n < HD_CREATE_FRAMES)
        info->create_pc[n] = 0;
    info->parent = hd_tls.tid;
    hd_rt.sched.thread[t].sig_blocked = hd_rt.sched.thread[hd_tls.tid].sig_blocked;
    hd_tls.inside--;
    hd_gate_obj(HD_EV_CREATE, site, (void *)(u64)t, 0);
    if (detach == PTHREAD_CREATE_DETACHED) {
        th->is_detached = true;
        hd_gate_obj(HD_EV_DETACH, site, (void *)(u64)t, 0);
    }
    return 0;
}

HD_EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    if (HD_UNLIKELY(!hd_rt.is_on))
        hd_stand_by_threads();
    if (!hd_on())
        return HD_REAL(pthread_create)(out, attr, fn, arg);
    return create(out, attr, fn, arg, false, HD_SITE());
}

int hd_thread_helper(const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    pthread_t handle;
    pthread_attr_t own;
    sigset_t all;
    if (attr)
        own = *attr;
    else
        pthread_attr_init(&own);
    pthread_attr_setdetachstate(&own, PTHREAD_CREATE_DETACHED);
    hd_sig_to_set(&all, ~(u64)0);
    u64 before = hd_sig_enter_mask(&all); /* a thread begins with its creator's mask */
    int err = create(&handle, &own, fn, arg, true, HD_SITE());
    hd_sig_leave_mask(&all, before);
    return err;
}

/* ---- join ------------------------------------------------------------------------ */

static int join(pthread_t handle, void **value, s64 deadline, bool is_try, u64 site)
{
    u16 t = hd_thread_find(handle);
    if (t == HD_NO_THREAD)
        return ESRCH;
    struct hd_op op = hd_op_make(HD_EV_JOIN, site, t);
    op.arg = is_try;
    op.deadline = deadline;
    op.flags = HD_OP_CANCEL | (deadline != HD_NEVER ? HD_OP_TIMED : 0);
    int err = hd_gate(&op).err;
    if (err)
        return err;
    void *result;
    hd_tls.inside++;
    HD_REAL(pthread_join)(handle, &result);
    hd_thread[t].is_live = false;
    hd_tls.inside--;
    if (value) {
        hd_writes(value, sizeof *value, site);
        *value = result;
    }
    return 0;
}

HD_EXPORT int pthread_join(pthread_t handle, void **value)
{
    if (!hd_on())
        return HD_REAL(pthread_join)(handle, value);
    return join(handle, value, HD_NEVER, false, HD_SITE());
}

HD_EXPORT int pthread_tryjoin_np(pthread_t handle, void **value)
{
    if (!hd_on())
        return HD_REAL(pthread_tryjoin_np)(handle, value);
    return join(handle, value, HD_NEVER, true, HD_SITE());
}

static bool is_valid_time(const struct timespec *ts)
{
    return ts->tv_nsec >= 0 && ts->tv_nsec < 1000000000;
}

HD_EXPORT int pthread_timedjoin_np(pthread_t handle, void **value, const struct timespec *until)
{
    struct timespec real;
    if (!hd_on())
        return HD_REAL(pthread_timedjoin_np)(handle, value,
                                             hd_child_clock_real(CLOCK_REALTIME, until, &real));
    if (until && !is_valid_time(until))
        return EINVAL;
    return join(handle, value, hd_deadline_abs(CLOCK_REALTIME, until), false, HD_SITE());
}

HD_EXPORT int pthread_clockjoin_np(pthread_t handle, void **value, clockid_t clock, const struct timespec *until)
{
    struct timespec real;
    if (!hd_on())
        return HD_REAL(pthread_clockjoin_np)(handle, value, clock,
                                             hd_child_clock_real(clock, until, &real));
    if (until && !is_valid_time(until))
        return EINVAL;
    return join(handle, value, hd_deadline_abs(clock, until), false, HD_SITE());
}

HD_EXPORT int pthread_detach(pthread_t handle)
{
    if (!hd_on())
        return HD_REAL(pthread_detach)(handle);
    u16 t = hd_thread_find(handle);
    if (t == HD_NO_THREAD)
        return ESRCH;
    int err = hd_gate_obj(HD_EV_DETACH, HD_SITE(), (void *)(u64)t, 0).err;
    if (!err)
        hd_thread[t].is_detached = true;
    return err;
}

HD_EXPORT _Noreturn void pthread_exit(void *value)
{
    if (hd_on())
        hd_thread[hd_tls.tid].is_exiting = true;
    HD_REAL(pthread_exit)(value);
    __builtin_unreachable();
}

/* libc knows only joinable threads: the program's wish is kept here. */
HD_EXPORT int pthread_getattr_np(pthread_t handle, pthread_attr_t *attr)
{
    int err = HD_REAL(pthread_getattr_np)(handle, attr);
    u16 t = !err && hd_on() ? hd_thread_find(handle) : HD_NO_THREAD;
    if (t != HD_NO_THREAD && hd_thread[t].is_detached)
        pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
    return err;
}

/* ---- names ------------------------------------------------------------------------ */

HD_EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
    int err = HD_REAL(pthread_setname_np)(handle, name);
    if (!err && hd_on()) {
        u16 t = hd_thread_find(handle);
        if (t != HD_NO_THREAD) {
            char *to = hd_shm_threads(hd_rt.run)[t].name;
            size_t n = HD_MIN(hd_strlen(name), sizeof hd_tls.info->name - 1);
            hd_memcpy(to, name, n);
            to[n] = 0;
        }
    }
    return err;
}

HD_EXPORT int pthread_getname_np(pthread_t handle, char *to, size_t size)
{
    if (!hd_on() || hd_is_own_stack(to))
        return HD_REAL(pthread_getname_np)(handle, to, size);
    hd_fill_keep(to, size, HD_SITE());
    int err = HD_REAL(pthread_getname_np)(handle, to, size);
    if (!err)
        hd_fill_state(to, hd_strlen(to) + 1, HD_SITE());
    return err;
}

/* ---- C11 --------------------------------------------------------------------------- */

static int c11_error(int err)
{
    return err == 0 ? thrd_success : err == ENOMEM ? thrd_nomem : thrd_error;
}

/* A C11 start routine returns int: libc passes it as the thread's value. */
struct c11_start {
    thrd_start_t fn;
    void *arg;
};

static void *c11_main(void *arg)
{
    struct c11_start s = *(struct c11_start *)arg;
    return (void *)(s64)s.fn(s.arg);
}

HD_EXPORT int thrd_create(thrd_t *out, thrd_start_t fn, void *arg)
{
    if (HD_UNLIKELY(!hd_rt.is_on))
        hd_stand_by_threads();
    if (!hd_on())
        return HD_REAL(thrd_create)(out, fn, arg);
    struct c11_start *s = hd_arena_alloc(NULL, sizeof *s);
    *s = (struct c11_start){fn, arg};
    return c11_error(create(out, NULL, c11_main, s, false, HD_SITE()));
}

HD_EXPORT int thrd_join(thrd_t t, int *value)
{
    if (!hd_on())
        return HD_REAL(thrd_join)(t, value);
    void *v;
    int err = join(t, &v, HD_NEVER, false, HD_SITE());
    if (!err && value)
        *value = (int)(s64)v;
    return c11_error(err);
}

HD_EXPORT int thrd_detach(thrd_t t)
{
    return c11_error(pthread_detach(t));
}

HD_EXPORT _Noreturn void thrd_exit(int value)
{
    pthread_exit((void *)(s64)value);
}
