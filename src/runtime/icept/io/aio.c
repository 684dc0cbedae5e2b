/* aio.c: asynchronous I/O, carried out by threads of ours as libc's own threads do it: requests for
 * one descriptor one after the other, by priority; at most 20 threads; one with nothing to do for a
 * second ends. So a request is a step of a thread like any other, and when it is over is a choice.
 * (libc's threads cannot be used: they allocate memory while they hold libc's lock for all requests.)
 *
 *   program                      worker
 *   aio_read: todo
 *                                take: running
 *                                reads; sets __return_value, __error_code: over
 *   aio_error: 0, may free it
 *                                notifies, by its own copy of what to do
 *
 * State and result are where libc has them, so aio_return is libc's, and all calls of a forked child are.
 */
#include "runtime/filter/fill.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/transfer.h"

#define WORKERS_MAX 20        /* as in libc */
#define IDLE_NS 1000000000ll  /* as in libc */
#define PRIO_DELTA_MAX 20     /* AIO_PRIO_DELTA_MAX */
enum { OP_SYNC = 3, OP_DSYNC = 4 }; /* besides LIO_READ and LIO_WRITE */

/* What lio_listio began. */
struct aio_group {
    u32 left; /* not over yet */
    bool has_failed;
    struct sigevent ev; /* when all are over */
};

struct request {
    struct request *next;
    struct aiocb *cb;    /* the program's: not to be touched once it is over */
    struct aio_group *group; /* NULL: is alone */
    struct sigevent ev;
    int fd, op, prio;
    u64 site;
};

static struct request *todo, *running, *unused;
static u32 n_workers;

/* ---- telling the program ------------------------------------------------------ */

static void *call_function(void *arg)
{
    hd_tell(arg, SI_ASYNCIO);
    return NULL;
}

static int tell_by_thread(const struct sigevent *ev)
{
    struct sigevent *own = hd_arena_alloc(NULL, sizeof *own);
    *own = *ev;
    return hd_thread_helper(ev->sigev_notify_attributes, call_function, own);
}

/* 0, or an errno if there is no thread for it. */
static int tell(const struct sigevent *ev)
{
    if (ev->sigev_notify == SIGEV_THREAD)
        return tell_by_thread(ev);
    hd_tell(ev, SI_ASYNCIO);
    return 0;
}

/* ---- one request ---------------------------------------------------------------- */

static void put_last(struct request **list, struct request *r)
{
    while (*list)
        list = &(*list)->next;
    r->next = NULL;
    *list = r;
}

static void take_out(struct request **list, struct request *r)
{
    while (*list != r)
        list = &(*list)->next;
    *list = r->next;
}

/* The end of a request that is in no list any more. */
static void end(struct request *r, ssize_t value, int err)
{
    struct sigevent own = r->ev, all = {.sigev_notify = SIGEV_NONE};
    struct aio_group *g = r->group;
    hd_note(HD_EV_HB_RELEASE, r->site, (u64)r->cb, 0);
    r->cb->__return_value = value;
    __atomic_store_n(&r->cb->__error_code, err, __ATOMIC_RELEASE);
    if (g) {
        g->has_failed |= err != 0;
        if (--g->left == 0)
            all = g->ev;
    }
    r->next = unused;
    unused = r;
    hd_io_dirty = true;
    tell(&own);
    tell(&all);
}

static ssize_t carry_out(const struct request *r)
{
    void *buf = (void *)r->cb->aio_buf;
    size_t n = r->cb->aio_nbytes;
    ssize_t done;
    hd_io_quiet_step(r->fd, r->site);
    if (hd_fd_is_ours(r->fd))
        return hd_fail(EBADF);
    switch (r->op) {
    case LIO_READ:
        hd_fill_keep(buf, n, r->site);
        done = HD_REAL(pread)(r->fd, buf, n, r->cb->aio_offset);
        if (done < 0 && errno == ESPIPE)
            return read(r->fd, buf, n); /* ours: it waits */
        return hd_after_in(done, buf, r->site);
    case LIO_WRITE:
        hd_access(buf, n, false, r->site);
        done = HD_REAL(pwrite)(r->fd, buf, n, r->cb->aio_offset);
        if (done < 0 && errno == ESPIPE)
            return write(r->fd, buf, n);
        return hd_after_out(done, r->site);
    case OP_SYNC:
        return HD_REAL(fsync)(r->fd);
    case OP_DSYNC:
        return HD_REAL(fdatasync)(r->fd);
    default:
        return hd_fail(EINVAL);
    }
}

/* ---- workers ---------------------------------------------------------------------- */

static bool is_busy(int fd)
{
    const struct request *r = running;
    while (r && r->fd != fd)
        r = r->next;
    return r;
}

static const struct request *find_first(int fd)
{
    const struct request *r = todo;
    while (r && r->fd != fd)
        r = r->next;
    return r;
}

static struct request *find_work(void)
{
    struct request *r = todo;
    while (r && is_busy(r->fd))
        r = r->next;
    return r;
}

static int has_work(void *arg) { return find_work() != NULL; }

static void *work(void *arg)
{
    struct hd_wait w = {.probe = has_work};
    struct request *r;
    for (;;) {
        hd_wait_full(&w, hd_deadline_rel(IDLE_NS), -1, (u64)work, 0, 0);
        if (!(r = find_work()))
            break;
        take_out(&todo, r);
        put_last(&running, r);
        hd_note(HD_EV_HB_ACQUIRE, r->site, (u64)r->cb, 0);
        ssize_t value = carry_out(r);
        int err = value < 0 ? errno : 0;
        hd_io_quiet_step(-1, r->site); /* aio_error may come before */
        take_out(&running, r);
        end(r, value, err);
    }
    n_workers--;
    return NULL;
}

/* How many workers could be busy now, if there was a request for `fd`, too. */
static u32 n_wanted(int fd)
{
    u32 n = !is_busy(fd) && !find_first(fd);
    for (const struct request *r = running; r; r = r->next)
        n++;
    for (const struct request *r = todo; r; r = r->next)
        n += !is_busy(r->fd) && find_first(r->fd) == r;
    return n;
}

/* Another thread may run meanwhile, and a worker may end: so it is looked at again. 0, or an errno
 * if there is none. */
static int have_worker(int fd)
{
    while (n_workers < WORKERS_MAX && n_workers < n_wanted(fd)) {
        n_workers++;
        if (hd_thread_helper(NULL, work, NULL) == 0)
            continue;
        n_workers--;
        return n_workers ? 0 : EAGAIN;
    }
    return 0;
}

/* Those of more urgency first; a sync is for all that came before it. */
static void put_in_order(struct request *r)
{
    struct request **at = &todo;
    while (*at && (r->op >= OP_SYNC || (*at)->prio <= r->prio))
        at = &(*at)->next;
    r->next = *at;
    *at = r;
}

static int begin(struct aiocb *cb, int op, struct aio_group *g, u64 site)
{
    int prio = op == OP_SYNC || op == OP_DSYNC ? 0 : cb->aio_reqprio;
    int err = prio < 0 || prio > PRIO_DELTA_MAX ? EINVAL : have_worker(cb->aio_fildes);
    if (err) {
        cb->__return_value = -1;
        cb->__error_code = err;
        return (int)hd_fail(err);
    }
    struct request *r = unused;
    if (r)
        unused = r->next;
    else
        r = hd_arena_alloc(NULL, sizeof *r);
    *r = (struct request){.cb = cb, .group = g, .ev = cb->aio_sigevent, .fd = cb->aio_fildes,
                          .op = op, .prio = prio, .site = site};
    cb->aio_lio_opcode = op;
    cb->__return_value = 0;
    cb->__error_code = EINPROGRESS;
    hd_note(HD_EV_HB_RELEASE, site, (u64)cb, 0);
    put_in_order(r);
    if (g)
        g->left++;
    hd_io_dirty = true;
    return 0;
}

HD_EXPORT int aio_read(struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_read)(cb);
    hd_io_quiet_step(-1, HD_SITE());
    return begin(cb, LIO_READ, NULL, HD_SITE());
}
HD_ALIAS(hd_aio_read64 __asm__("aio_read64"), aio_read);

HD_EXPORT int aio_write(struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_write)(cb);
    hd_io_quiet_step(-1, HD_SITE());
    return begin(cb, LIO_WRITE, NULL, HD_SITE());
}
HD_ALIAS(hd_aio_write64 __asm__("aio_write64"), aio_write);

HD_EXPORT int aio_fsync(int how, struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_fsync)(how, cb);
    hd_io_quiet_step(-1, HD_SITE());
    if (how != O_SYNC && how != O_DSYNC)
        return (int)hd_fail(EINVAL);
    if (hd_fd_is_ours(cb->aio_fildes) || hd_sys(SYS_fcntl, cb->aio_fildes, F_GETFL, 0) < 0)
        return (int)hd_fail(EBADF);
    return begin(cb, how == O_SYNC ? OP_SYNC : OP_DSYNC, NULL, HD_SITE());
}
HD_ALIAS(hd_aio_fsync64 __asm__("aio_fsync64"), aio_fsync);

/* ---- has it ended? ------------------------------------------------------------------ */

static bool is_over(const struct aiocb *cb)
{
    return __atomic_load_n(&cb->__error_code, __ATOMIC_ACQUIRE) != EINPROGRESS;
}

HD_EXPORT int aio_error(const struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_error)(cb);
    u64 site = HD_SITE();
    hd_io_quiet_step(-1, site);
    if (is_over(cb))
        hd_note(HD_EV_HB_ACQUIRE, site, (u64)cb, 0);
    else
        hd_io_no_progress(site);
    return cb->__error_code;
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
    u64 site = HD_SITE();
    int err = hd_wait_full(&w, hd_deadline_after(timeout), -1, site, HD_IO_FLAGS, HD_WAIT_NO_RESTART);
    if (err)
        return (int)hd_fail(err == ETIMEDOUT ? EAGAIN : err);
    for (int i = 0; i < n; i++)
        if (list[i] && is_over(list[i]))
            hd_note(HD_EV_HB_ACQUIRE, site, (u64)list[i], 0);
    return 0;
}
HD_ALIAS(hd_aio_suspend64 __asm__("aio_suspend64"), aio_suspend);

/* ---- cancelling ----------------------------------------------------------------------- */

/* Those of fd that nobody has begun, or of them `only`. */
static u32 cancel_waiting(int fd, const struct aiocb *only)
{
    struct request *r, *of = NULL;
    u32 n = 0;
    for (struct request **at = &todo; (r = *at);) {
        if (r->fd != fd || (only && r->cb != only)) {
            at = &r->next;
            continue;
        }
        *at = r->next;
        put_last(&of, r);
        n++;
    }
    while ((r = of)) {
        of = r->next;
        end(r, -1, ECANCELED);
    }
    return n;
}

HD_EXPORT int aio_cancel(int fd, struct aiocb *cb)
{
    if (!hd_on())
        return HD_REAL(aio_cancel)(fd, cb);
    hd_io_quiet_step(-1, HD_SITE());
    if (hd_fd_is_ours(fd) || hd_sys(SYS_fcntl, fd, F_GETFL, 0) < 0)
        return (int)hd_fail(EBADF);
    if (cb && cb->aio_fildes != fd)
        return (int)hd_fail(EINVAL);
    if (cb && is_over(cb))
        return AIO_ALLDONE;
    bool is_running = false;
    for (const struct request *r = running; r; r = r->next)
        is_running |= cb ? r->cb == cb : r->fd == fd;
    u32 n = cancel_waiting(fd, cb);
    return is_running ? AIO_NOTCANCELED : n ? AIO_CANCELED : AIO_ALLDONE;
}
HD_ALIAS(hd_aio_cancel64 __asm__("aio_cancel64"), aio_cancel);

/* ---- lists ------------------------------------------------------------------------------ */

static bool is_request(const struct aiocb *cb) { return cb && cb->aio_lio_opcode != LIO_NOP; }

static int is_group_over(void *arg) { return ((const struct aio_group *)arg)->left == 0; }

static int wait_for(struct aio_group *g, struct aiocb *const list[], int n, u64 site)
{
    struct hd_wait w = {.probe = is_group_over, .arg = g};
    int err = hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS, HD_WAIT_NO_RESTART);
    if (err)
        return (int)hd_fail(err);
    for (int i = 0; i < n; i++)
        if (list[i])
            hd_note(HD_EV_HB_ACQUIRE, site, (u64)list[i], 0);
    return g->has_failed ? (int)hd_fail(EIO) : 0;
}

HD_EXPORT int lio_listio(int mode, struct aiocb *const list[], int n, struct sigevent *ev)
{
    if (!hd_on() || n < 0 || (mode != LIO_WAIT && mode != LIO_NOWAIT))
        return HD_REAL(lio_listio)(mode, list, n, ev);
    u64 site = HD_SITE();
    int err = 0;
    hd_io_quiet_step(-1, site);
    struct aio_group *g = hd_arena_alloc(NULL, sizeof *g);
    g->left = 1; /* this call: no request ends the group before all have begun */
    g->ev.sigev_notify = SIGEV_NONE;
    for (int i = 0; i < n; i++)
        if (is_request(list[i]) && begin(list[i], list[i]->aio_lio_opcode, g, site))
            err = errno;
    g->left--;
    if (mode == LIO_WAIT && (g->left || g->has_failed))
        return wait_for(g, list, n, site);
    if (mode == LIO_NOWAIT && ev && g->left)
        g->ev = *ev;
    else if (mode == LIO_NOWAIT && ev && tell(ev) && !err)
        err = EAGAIN;
    return err ? (int)hd_fail(err) : 0;
}
HD_ALIAS(hd_lio_listio64 __asm__("lio_listio64"), lio_listio);
