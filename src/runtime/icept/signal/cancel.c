/* cancel.c: cancellation and signals sent to a thread.
 *
 * A cancellation is kept as a pending "signal" of its own (HD_SIG_CANCEL), so
 * that it can wake a blocked thread; the gate acts on it at cancellation
 * points, by pthread_exit, which runs the cleanup handlers.
 */
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/icept/io/io_step.h"
#include "runtime/icept/string/string_access.h"

HD_EXPORT int pthread_cancel(pthread_t handle)
{
    if (!hd_on())
        return HD_REAL(pthread_cancel)(handle);
    u16 t = hd_thread_find(handle);
    if (t == HD_NO_THREAD)
        return ESRCH;
    hd_gate_obj(HD_EV_KILL, HD_SITE(), (void *)(u64)t, HD_SIG_CANCEL);
    hd_thread[t].cancel_pending = !hd_thread[t].is_finished;
    if (t == hd_tls.tid && hd_thread[t].cancel_async)
        hd_testcancel(HD_SITE());
    return 0;
}

HD_EXPORT void pthread_testcancel(void)
{
    if (!hd_on()) {
        HD_REAL(pthread_testcancel)();
        return;
    }
    hd_io_query(HD_SITE());
    hd_testcancel(HD_SITE());
}

HD_EXPORT int pthread_setcancelstate(int state, int *old)
{
    if (!hd_on())
        return HD_REAL(pthread_setcancelstate)(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    struct hd_thread *th = &hd_thread[hd_tls.tid];
    if (old) {
        hd_writes(old, sizeof *old, HD_SITE());
        *old = th->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    }
    th->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    if (!th->cancel_disabled && th->cancel_async)
        hd_testcancel(HD_SITE());
    return 0;
}

HD_EXPORT int pthread_setcanceltype(int type, int *old)
{
    if (!hd_on())
        return HD_REAL(pthread_setcanceltype)(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    struct hd_thread *th = &hd_thread[hd_tls.tid];
    if (old) {
        hd_writes(old, sizeof *old, HD_SITE());
        *old = th->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    }
    th->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (th->cancel_async)
        hd_testcancel(HD_SITE());
    return 0;
}

HD_EXPORT int pthread_kill(pthread_t handle, int signo)
{
    if (!hd_on())
        return HD_REAL(pthread_kill)(handle, signo);
    if (signo < 0 || signo > 64)
        return EINVAL;
    u16 t = hd_thread_find(handle);
    if (t == HD_NO_THREAD && handle == pthread_self())
        t = hd_tls.tid; /* the main thread */
    if (t == HD_NO_THREAD)
        return ESRCH;
    return hd_thread[t].is_finished ? 0 : hd_sig_send(t, signo, NULL, HD_SITE());
}
