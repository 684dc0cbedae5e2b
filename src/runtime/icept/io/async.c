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
    struct aiocb *const *list;
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
    const struct notice *m = arg;
    for (int i = 0; i < m->n; i++)
        if (!is_over(m->list[i]))
            return 0;
    return 1;
}

static void *notify(void *arg)
{
    struct notice *m = arg;
    struct hd_wait w = {.probe = all_over, .arg = m};
    hd_wait_full(&w, HD_NEVER, -1, (u64)m->ev.sigev_notify_function, 0, HD_WAIT_EXTERNAL);
    if (m->restore)
        *m->restore = m->ev;
    m->ev.sigev_notify_function(m->ev.sigev_value);
    return NULL;
}

static int start_thread(const struct sigevent *ev, void *(*fn)(void *), void *arg)
{
    pthread_t handle;
    int err = pthread_create(&handle, ev->sigev_notify_attributes, fn, arg);
    if (!err)
        pthread_detach(handle); /* no harm if its attributes say so already */
    return err;
}

static struct notice *notice_of(const struct sigevent *ev)
{
    struct notice *m = hd_arena_alloc(NULL, sizeof *m);
    m->ev = *ev;
    return m;
}

static bool is_by_thread(const struct sigevent *ev) { return ev && ev->sigev_notify == SIGEV_THREAD; }

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
    s64 deadline = HD_NEVER;
    if (timeout) {
        if (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000)
            return (int)hd_fail(EINVAL);
        if (timeout->tv_sec < HD_NEVER / 1000000000)
            deadline = hd_deadline_rel(timeout->tv_sec * 1000000000ll + timeout->tv_nsec);
    }
    int err = hd_wait_full(&w, deadline, -1, HD_SITE(), HD_IO_FLAGS,
                           HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
    return err ? (int)hd_fail(err == ETIMEDOUT ? EAGAIN : err) : 0;
}
HD_ALIAS(hd_aio_suspend64 __asm__("aio_suspend64"), aio_suspend);

static int wait_for_all(struct aiocb *const list[], int n, u64 site)
{
    struct notice all = {.list = list, .n = n};
    struct hd_wait w = {.probe = all_over, .arg = &all};
    int err = hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS,
                           HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
    if (err)
        return (int)hd_fail(err);
    for (int i = 0; i < n; i++)
        if (list[i] && list[i]->aio_lio_opcode != LIO_NOP && HD_REAL(aio_error)(list[i]))
            return (int)hd_fail(EIO);
    return 0;
}

HD_EXPORT int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *ev)
{
    if (!hd_on() || n < 0 || (mode != LIO_WAIT && mode != LIO_NOWAIT))
        return HD_REAL(lio_listio)(mode, list, n, ev);
    u64 site = HD_SITE();
    begin("lio_listio", site);
    struct notice *each[n ? n : 1];
    for (int i = 0; i < n; i++)
        each[i] = take_off(list[i]);
    bool by_thread = mode == LIO_NOWAIT && is_by_thread(ev);
    hd_tls.inside++;
    int r = HD_REAL(lio_listio)(LIO_NOWAIT, list, n, mode == LIO_WAIT || by_thread ? NULL : ev);
    hd_tls.inside--;
    int before = errno;
    for (int i = 0; i < n; i++)
        ended(r, each[i]);
    errno = before;
    if (mode == LIO_WAIT && r == 0)
        return wait_for_all(list, n, site);
    if (by_thread && r == 0) {
        struct notice *m = notice_of(ev);
        struct aiocb **copy = hd_arena_alloc(NULL, sizeof *copy * (size_t)(n ? n : 1));
        hd_memcpy(copy, list, sizeof *copy * (size_t)n);
        m->list = copy;
        m->n = n;
        if (start_thread(ev, notify, m))
            return (int)hd_fail(EAGAIN);
    }
    return r;
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
    if (l->ev.sigev_notify == SIGEV_THREAD)
        l->ev.sigev_notify_function(l->ev.sigev_value);
    else if (l->ev.sigev_notify == SIGEV_SIGNAL && hd_on()) {
        siginfo_t info = {.si_signo = l->ev.sigev_signo, .si_code = SI_ASYNCNL};
        info.si_pid = (pid_t)hd_sys(SYS_getpid, 0);
        info.si_uid = (uid_t)hd_sys(SYS_getuid, 0);
        info.si_value = l->ev.sigev_value;
        hd_sig_send(HD_NO_THREAD, l->ev.sigev_signo, &info, HD_SITE());
    }
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
    struct sigevent plain = {.sigev_notify = SIGEV_NONE};
    return start_thread(is_by_thread(ev) ? ev : &plain, resolve_all, l) ? EAI_AGAIN : 0;
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
    s64 deadline = HD_NEVER;
    if (timeout && timeout->tv_sec < HD_NEVER / 1000000000)
        deadline = hd_deadline_rel(timeout->tv_sec * 1000000000ll + timeout->tv_nsec);
    struct hd_wait w = {.probe = any_known, .arg = &a};
    int err = hd_wait_full(&w, deadline, -1, HD_SITE(), HD_IO_FLAGS, HD_WAIT_NO_RESTART);
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
        r->ev.sigev_notify_function(r->ev.sigev_value);
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
