/* async.c: requests that threads of libc carry out: names by getaddrinfo_a, mq_notify; for
 * aio see aio.c. SIGEV_THREAD makes a thread of ours that waits for the end of the request
 * and calls the function. getaddrinfo_a is done by such a thread altogether.
 */
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"

/* ---- telling the program ------------------------------------------------------ */

void hd_tell(const struct sigevent *ev, int code)
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

static bool is_by_thread(const struct sigevent *ev) { return ev && ev->sigev_notify == SIGEV_THREAD; }

static int start_thread(const struct sigevent *ev, void *(*fn)(void *), void *arg)
{
    return hd_thread_helper(is_by_thread(ev) ? ev->sigev_notify_attributes : NULL, fn, arg);
}

s64 hd_deadline_after(const struct timespec *timeout)
{
    return timeout ? hd_deadline_rel(hd_ns_of(HD_MAX(timeout->tv_sec, 0), timeout->tv_nsec)) : HD_NEVER;
}

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
    hd_tell(&l->ev, SI_ASYNCNL);
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
    int err = hd_wait_full(&w, hd_deadline_after(timeout), -1, HD_SITE(), HD_IO_FLAGS,
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
        hd_tell(&r->ev, SI_MESGQ);
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
