/* async.c: requests that threads of libc carry out: aio, names by getaddrinfo_a,
 * mq_notify. What aio does in the background is not controlled; who is notified is:
 * SIGEV_THREAD makes a thread of ours that waits for the end of the request and calls
 * the function. getaddrinfo_a is done by such a thread altogether.
 */
#include "runtime/icept/io/io_result.h"
#include "runtime/icept/process/child.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"

/* ---- telling the program ------------------------------------------------------ */

struct notice {
    struct sigevent ev;
    struct aiocb **list; /* what is over is taken out: the program may use it again */
    int n;
    struct aiocb *one; /* room for a list of one */
    struct sigevent *restore; /* of the request: was changed for libc */
};

static bool is_over(const struct aiocb *cb)
{
    return !cb || HD_REAL(aio_error)(cb) != EINPROGRESS;
}

static int all_over(void *arg)
{
    struct notice *m = arg;
    bool all = true;
    for (int i = 0; i < m->n; i++) {
        if (is_over(m->list[i]))
            m->list[i] = NULL;
        else
            all = false;
    }
    return all;
}

/* In a thread of ours. libc calls functions with no signal blocked, those of timers apart. */
static void tell(const struct sigevent *ev, int code)
{
    if (ev->sigev_notify == SIGEV_THREAD) {
        sigset_t none;
        hd_sig_to_set(&none, 0);
        pthread_sigmask(SIG_SETMASK, &none, NULL);
        ev->sigev_notify_function(ev->sigev_value);
    } else if (ev->sigev_notify == SIGEV_SIGNAL && hd_on()) {
        siginfo_t info = {.si_signo = ev->sigev_signo, .si_code = code};
        info.si_pid = (pid_t)hd_sys(SYS_getpid, 0);
        info.si_uid = (uid_t)hd_sys(SYS_getuid, 0);
        info.si_value = ev->sigev_value;
        hd_sig_send(HD_NO_THREAD, ev->sigev_signo, &info, HD_SITE());
    }
}

static void *notify(void *arg)
{
    struct notice *m = arg;
    struct hd_wait w = {.probe = all_over, .arg = m};
    hd_wait_full(&w, HD_NEVER, -1, (u64)m->ev.sigev_notify_function, 0, HD_WAIT_EXTERNAL);
    if (m->restore)
        *m->restore = m->ev;
    tell(&m->ev, SI_ASYNCIO);
    return NULL;
}

static bool is_by_thread(const struct sigevent *ev) { return ev && ev->sigev_notify == SIGEV_THREAD; }

static int start_thread(const struct sigevent *ev, void *(*fn)(void *), void *arg)
{
    return hd_thread_helper(is_by_thread(ev) ? ev->sigev_notify_attributes : NULL, fn, arg);
}

static struct notice *notice_of(const struct sigevent *ev)
{
    struct notice *m = hd_arena_alloc(NULL, sizeof *m);
    m->ev = *ev;
    return m;
}

/* ---- aio ------------------------------------------------------------------------ */

static void begin(const char *call, u64 site)
{
    hd_io_quiet_step(-1, site);
    hd_uncontrolled(HD_UNC_UNREGISTERED, call);
    hd_child_expect(); /* what it writes may be read, and it may send signals */
}

/* Takes the notification by a thread off a request; NULL: it has none. */
static struct notice *take_off(struct aiocb *cb)
{
    if (!cb || !is_by_thread(&cb->aio_sigevent))
        return NULL;
    struct notice *m = notice_of(&cb->aio_sigevent);
    m->one = cb;
    m->list = &m->one;
    m->n = 1;
    m->restore = &cb->aio_sigevent;
    cb->aio_sigevent.sigev_notify = SIGEV_NONE;
    return m;
}

static int ended(int r, struct notice *m)
{
    if (!m)
        return r;
    if (r == 0 && start_thread(&m->ev, notify, m) == 0)
        return 0;
    *m->restore = m->ev;
    return r ? r : (int)hd_fail(EAGAIN);
}

#define AIO_CALL(name, cb, ...)                                                                    \
    do {                                                                                           \
        if (!hd_on())                                                                              \
            return HD_REAL(name)(__VA_ARGS__);                                                     \
        begin(#name, HD_SITE());                                                                   \
        struct notice *m_ = take_off(cb);                                                          \
        hd_tls.inside++; /* libc makes its own threads there */                                    \
        int r_ = HD_REAL(name)(__VA_ARGS__);                                                       \
        hd_tls.inside--;                                                                           \
        return ended(r_, m_);                                                                      \
    } while (0)

HD_EXPORT int aio_read(struct aiocb *a) { AIO_CALL(aio_read, a, a); }
HD_ALIAS(hd_aio_read64 __asm__("aio_read64"), aio_read);
HD_EXPORT int aio_write(struct aiocb *a) { AIO_CALL(aio_write, a, a); }
HD_ALIAS(hd_aio_write64 __asm__("aio_write64"), aio_write);
HD_EXPORT int aio_fsync(int how, struct aiocb *a) { AIO_CALL(aio_fsync, a, how, a); }
HD_ALIAS(hd_aio_fsync64 __asm__("aio_fsync64"), aio_fsync);

static bool is_over_now(void *arg) { return is_over(arg); }

/* How far libc's threads are is recorded. */
HD_EXPORT int aio_error(const struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_error)(cb);
    u64 site = HD_SITE();
    hd_io_quiet_step(-1, site);
    const struct hd_io_result *a = hd_io_result_now(-1);
    int r;
    if (a && a->value == EINPROGRESS) {
        r = EINPROGRESS;
    } else {
        if (a)
            hd_io_result_until(is_over_now, (void *)cb);
        r = HD_REAL(aio_error)(cb);
    }
    hd_io_result_note(-1, r);
    if (r == EINPROGRESS)
        hd_io_no_progress(site);
    return r;
}
HD_ALIAS(hd_aio_error64 __asm__("aio_error64"), aio_error);

/* Pre: valid nanoseconds, if any. NULL: never. */
static s64 deadline_after(const struct timespec *timeout)
{
    return timeout ? hd_deadline_rel(hd_ns_of(HD_MAX(timeout->tv_sec, 0), timeout->tv_nsec)) : HD_NEVER;
}

struct any_of {
    const struct aiocb *const *list;
    int n;
};

static int any_over(void *arg)
{
    const struct any_of *a = arg;
    for (int i = 0; i < a->n; i++)
        if (a->list[i] && is_over(a->list[i]))
            return 1;
    return 0;
}

HD_EXPORT int aio_suspend(const struct aiocb *const list[], int n, const struct timespec *timeout)
{
    if (!hd_on() || n < 0)
        return HD_REAL(aio_suspend)(list, n, timeout);
    struct any_of a = {list, n};
    struct hd_wait w = {.probe = any_over, .arg = &a};
    if (timeout && (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000))
        return (int)hd_fail(EINVAL);
    int err = hd_wait_full(&w, deadline_after(timeout), -1, HD_SITE(), HD_IO_FLAGS,
                           HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
    return err ? (int)hd_fail(err == ETIMEDOUT ? EAGAIN : err) : 0;
}
HD_ALIAS(hd_aio_suspend64 __asm__("aio_suspend64"), aio_suspend);

static bool is_request(const struct aiocb *cb) { return cb && cb->aio_lio_opcode != LIO_NOP; }

/* lio_listio is made of single requests, so that they are waited for as those are. */
static int queue_one(struct aiocb *cb)
{
    bool is_read = cb->aio_lio_opcode == LIO_READ;
    if (!is_read && cb->aio_lio_opcode != LIO_WRITE) { /* as if it had failed later */
        cb->__return_value = -1;
        cb->__error_code = EINVAL;
        return 0;
    }
    struct notice *m = take_off(cb);
    hd_tls.inside++;
    int r = is_read ? HD_REAL(aio_read)(cb) : HD_REAL(aio_write)(cb);
    hd_tls.inside--;
    return ended(r, m);
}

/* `queued`: those of the list that are under way. */
static int wait_for_all(struct aiocb *const list[], int n, struct aiocb **queued, int n_queued,
                        u64 site)
{
    struct notice all = {.list = queued, .n = n_queued};
    struct hd_wait w = {.probe = all_over, .arg = &all};
    int err = hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS,
                           HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
    if (err)
        return (int)hd_fail(err);
    for (int i = 0; i < n; i++)
        if (is_request(list[i]) && HD_REAL(aio_error)(list[i]))
            return (int)hd_fail(EIO);
    return 0;
}

/* An errno if there is no thread for it. */
static int tell_when_over(const struct sigevent *ev, struct aiocb **queued, int n)
{
    if (!ev || (ev->sigev_notify != SIGEV_THREAD && ev->sigev_notify != SIGEV_SIGNAL))
        return 0;
    if (!n && ev->sigev_notify == SIGEV_SIGNAL) { /* at once, in the caller */
        tell(ev, SI_ASYNCIO);
        return 0;
    }
    struct notice *m = notice_of(ev);
    m->list = hd_arena_alloc(NULL, sizeof *m->list * (size_t)(n ? n : 1));
    hd_memcpy(m->list, queued, sizeof *queued * (size_t)n);
    m->n = n;
    return start_thread(ev, notify, m) ? EAGAIN : 0;
}

HD_EXPORT int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *ev)
{
    if (!hd_on() || n < 0 || (mode != LIO_WAIT && mode != LIO_NOWAIT))
        return HD_REAL(lio_listio)(mode, list, n, ev);
    u64 site = HD_SITE();
    begin("lio_listio", site);
    struct aiocb *queued[n ? n : 1];
    int n_queued = 0, err = 0, no_thread = 0;
    for (int i = 0; i < n; i++) {
        if (!is_request(list[i]))
            continue;
        if (queue_one(list[i]))
            err = errno;
        else
            queued[n_queued++] = list[i];
    }
    if (mode == LIO_WAIT && n_queued)
        return wait_for_all(list, n, queued, n_queued, site);
    if (mode == LIO_NOWAIT)
        no_thread = tell_when_over(ev, queued, n_queued);
    return err || no_thread ? (int)hd_fail(err ? err : no_thread) : 0;
}
HD_ALIAS(hd_lio_listio64 __asm__("lio_listio64"), lio_listio);

/* ---- names -------------------------------------------------------------------------- */

struct lookup {
    struct sigevent ev;
    struct gaicb **list;
    int n;
};

static void resolve(struct gaicb *r)
{
    int err = HD_REAL(getaddrinfo)(r->ar_name, r->ar_service, r->ar_request, &r->ar_result);
    __atomic_store_n(&r->__return, err, __ATOMIC_RELEASE);
    hd_io_dirty = true;
}

static void *resolve_all(void *arg)
{
    struct lookup *l = arg;
    for (int i = 0; i < l->n; i++)
        if (l->list[i])
            resolve(l->list[i]);
    tell(&l->ev, SI_ASYNCNL);
    return NULL;
}

HD_EXPORT int getaddrinfo_a(int mode, struct gaicb *list[], int n, struct sigevent *ev)
{
    if (!hd_on() || (mode != GAI_WAIT && mode != GAI_NOWAIT) || n < 0)
        return HD_REAL(getaddrinfo_a)(mode, list, n, ev);
    hd_io_quiet_step(-1, HD_SITE());
    for (int i = 0; i < n; i++)
        if (list[i])
            list[i]->__return = EAI_INPROGRESS;
    if (mode == GAI_WAIT) {
        for (int i = 0; i < n; i++)
            if (list[i])
                resolve(list[i]);
        return 0;
    }
    struct lookup *l = hd_arena_alloc(NULL, sizeof *l);
    l->list = hd_arena_alloc(NULL, sizeof *l->list * (size_t)(n ? n : 1));
    l->n = n;
    l->ev.sigev_notify = SIGEV_NONE;
    if (ev)
        l->ev = *ev;
    hd_memcpy(l->list, list, sizeof *list * (size_t)n);
    return start_thread(ev, resolve_all, l) ? EAI_AGAIN : 0;
}

struct any_name {
    const struct gaicb *const *list;
    int n;
};

static bool is_known(const struct gaicb *r)
{
    return __atomic_load_n(&r->__return, __ATOMIC_ACQUIRE) != EAI_INPROGRESS;
}

static int any_known(void *arg)
{
    const struct any_name *a = arg;
    for (int i = 0; i < a->n; i++)
        if (a->list[i] && is_known(a->list[i]))
            return 1;
    return 0;
}

HD_EXPORT int gai_suspend(const struct gaicb *const list[], int n, const struct timespec *timeout)
{
    if (!hd_on())
        return HD_REAL(gai_suspend)(list, n, timeout);
    struct any_name a = {list, n};
    bool any = false;
    for (int i = 0; i < n; i++)
        any |= list[i] && !is_known(list[i]);
    if (!any)
        return EAI_ALLDONE;
    struct hd_wait w = {.probe = any_known, .arg = &a};
    int err = hd_wait_full(&w, deadline_after(timeout), -1, HD_SITE(), HD_IO_FLAGS,
                           HD_WAIT_NO_RESTART);
    return err == ETIMEDOUT ? EAI_AGAIN : err == EINTR ? EAI_INTR : 0;
}

HD_EXPORT int gai_cancel(struct gaicb *r)
{
    if (!hd_on())
        return HD_REAL(gai_cancel)(r);
    return is_known(r) ? EAI_ALLDONE : EAI_NOTCANCELED;
}

/* ---- message queues ------------------------------------------------------------------- */

/* As glibc does it: the kernel writes a cookie to a socket, its last byte says why. */
#define COOKIE 32
#define WOKEN_UP 1
#define FD_FROM (HD_LAST_FD + 1) /* out of the way of the program's descriptors */

struct registration {
    struct sigevent ev;
    int fd;
    u8 cookie[COOKIE];
};

static void *await_message(void *arg)
{
    struct registration *r = arg;
    u8 cookie[COOKIE] = {0};
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    struct hd_wait w = {.fds = &p, .n = 1};
    hd_wait_full(&w, HD_NEVER, r->fd, (u64)r->ev.sigev_notify_function, 0, 0);
    hd_sys(SYS_recvfrom, r->fd, cookie, COOKIE, 0, 0, 0);
    hd_sys(SYS_close, r->fd);
    if (cookie[COOKIE - 1] == WOKEN_UP)
        tell(&r->ev, SI_MESGQ);
    return NULL;
}

static int socket_for_cookie(void)
{
    long low = hd_sys(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (low < 0)
        return -1;
    long fd = hd_sys(SYS_fcntl, low, F_DUPFD_CLOEXEC, FD_FROM);
    if (fd < 0)
        return (int)low;
    hd_sys(SYS_close, low);
    return (int)fd;
}

HD_EXPORT int mq_notify(int q, const struct sigevent *ev)
{
    if (!hd_on())
        return HD_REAL(mq_notify)(q, ev);
    hd_io_quiet_step(q, HD_SITE());
    hd_io_dirty = true; /* taking a registration back wakes its thread */
    if (!is_by_thread(ev))
        return HD_REAL(mq_notify)(q, ev);
    struct registration *r = hd_arena_alloc(NULL, sizeof *r);
    r->ev = *ev;
    r->fd = socket_for_cookie();
    if (r->fd < 0)
        return (int)hd_fail(ENOMEM);
    hd_fd_mark(r->fd, HD_FD_INTERNAL);
    struct sigevent raw = {.sigev_notify = SIGEV_THREAD, .sigev_signo = r->fd};
    raw.sigev_value.sival_ptr = r->cookie;
    long err = hd_sys(SYS_mq_notify, q, &raw);
    if (!err && start_thread(ev, await_message, r)) {
        hd_sys(SYS_mq_notify, q, 0);
        err = -ENOMEM;
    }
    if (!err)
        return 0;
    hd_sys(SYS_close, r->fd);
    return (int)hd_fail((int)-err);
}
