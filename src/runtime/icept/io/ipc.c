/* ipc.c: blocking calls on what poll() knows nothing of: file locks, System
 * V queues and semaphores; and POSIX queues, which it knows.
 *
 * Each waits with a probe that asks whether the call would go through, without
 * doing it; the thread then does it when it is its turn.
 */
#include "runtime/filter/fill.h"
#include "runtime/icept/io/transfer.h"
#include "runtime/libc/user_mem.h"

#include "runtime/libc/sys.h"

static bool is_valid_time(const struct timespec *t)
{
    return t->tv_sec >= 0 && (u64)t->tv_nsec < 1000000000;
}

/* ---- file locks ------------------------------------------------------------- */

struct lock_wait {
    int fd, get;
    const struct flock *lock;
};

/* F_GETLK says whether the lock could be had, without taking it. */
static int lock_is_free(void *arg)
{
    struct lock_wait *l = arg;
    struct flock f = *l->lock;
    if (hd_sys(SYS_fcntl, l->fd, l->get, &f) < 0)
        return 1;
    return f.l_type == F_UNLCK;
}

int hd_lock_and_wait(int fd, int cmd, struct flock *lock, u64 site)
{
    bool is_ofd = cmd == F_OFD_SETLKW;
    struct lock_wait l = {fd, is_ofd ? F_OFD_GETLK : F_GETLK, lock};
    struct hd_wait w = {.probe = lock_is_free, .arg = &l};
    for (;;) {
        int err = hd_wait_io(&w, HD_NEVER, fd, site, HD_IO_FLAGS);
        if (err)
            return (int)hd_fail(err);
        int r = HD_REAL(fcntl)(fd, is_ofd ? F_OFD_SETLK : F_SETLK, lock);
        hd_io_dirty = true;
        if (r == 0 || (errno != EAGAIN && errno != EACCES))
            return r;
    }
}

HD_EXPORT int lockf(int fd, int cmd, off_t len)
{
    if (!hd_on())
        return HD_REAL(lockf)(fd, cmd, len);
    u64 site = HD_SITE();
    if (cmd != F_LOCK) {
        hd_io_step(fd, site);
        return (int)hd_after_out(HD_REAL(lockf)(fd, cmd, len), site);
    }
    struct flock f = {.l_type = F_WRLCK, .l_whence = SEEK_CUR, .l_len = len};
    return hd_lock_and_wait(fd, F_SETLKW, &f, site);
}
HD_ALIAS(lockf64, lockf);

struct flock_wait {
    int fd, op;
};

/* flock() cannot be asked, only tried. A thread gets here after a failed try,
 * which has already dropped a lock it may have held (flock(2)): taking and
 * giving back changes nothing. */
static int flock_is_free(void *arg)
{
    struct flock_wait *f = arg;
    if (hd_sys(SYS_flock, f->fd, f->op | LOCK_NB) == 0) {
        hd_sys(SYS_flock, f->fd, LOCK_UN);
        return 1;
    }
    return 0;
}

HD_EXPORT int flock(int fd, int op)
{
    if (!hd_on())
        return HD_REAL(flock)(fd, op);
    u64 site = HD_SITE();
    hd_io_quiet_step(fd, site);
    hd_io_dirty = true;
    int r = HD_REAL(flock)(fd, op | LOCK_NB);
    if (r == 0 || (op & LOCK_NB) || errno != EWOULDBLOCK)
        return r;
    struct flock_wait f = {fd, op};
    struct hd_wait w = {.probe = flock_is_free, .arg = &f};
    do {
        int err = hd_wait_io(&w, HD_NEVER, fd, site, HD_OP_INTERRUPTIBLE);
        if (err)
            return (int)hd_fail(err);
        r = HD_REAL(flock)(fd, op | LOCK_NB);
        hd_io_dirty = true;
    } while (r && errno == EWOULDBLOCK);
    return r;
}

/* ---- System V message queues --------------------------------------------------- */

struct msg_wait {
    int id;
    size_t size;
    long type;
    int flags;
    bool took_empty; /* the probe met a message without text, and has it now */
    long empty_type;
};

static int msg_fits(void *arg)
{
    struct msg_wait *m = arg;
    struct msqid_ds ds;
    if (hd_sys(SYS_msgctl, m->id, IPC_STAT, &ds) < 0)
        return 1; /* the real call tells why */
    if (m->size > ds.msg_qbytes)
        return 1; /* never fits: EINVAL */
    return ds.__msg_cbytes + m->size <= ds.msg_qbytes && ds.msg_qnum < ds.msg_qbytes;
}

/* Asking for no text at all: E2BIG = a message is there, and stays there. */
static int msg_is_there(void *arg)
{
    struct msg_wait *m = arg;
    if (m->took_empty)
        return 1;
    long r =
        hd_sys(SYS_msgrcv, m->id, &m->empty_type, 0, m->type, IPC_NOWAIT | (m->flags & MSG_EXCEPT));
    m->took_empty = r == 0;
    return r != -ENOMSG;
}

HD_EXPORT int msgsnd(int id, const void *msg, size_t size, int flags)
{
    if (!hd_on() || !hd_user_can_read(msg, sizeof(long)))
        return HD_REAL(msgsnd)(id, msg, size, flags);
    u64 site = HD_SITE();
    hd_access(msg, sizeof(long) + size, false, site);
    struct msg_wait m = {.id = id, .size = size};
    struct hd_wait w = {.probe = msg_fits, .arg = &m};
    if ((flags & IPC_NOWAIT) || *(const long *)msg < 1 || (long)size < 0) { /* EINVAL at once */
        hd_io_step(-1, site);
    } else {
        int err =
            hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS, HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
        if (err)
            return (int)hd_fail(err);
    }
    return (int)hd_after_out(HD_REAL(msgsnd)(id, msg, size, flags), site);
}

HD_EXPORT ssize_t msgrcv(int id, void *msg, size_t size, long type, int flags)
{
    if (!hd_on())
        return HD_REAL(msgrcv)(id, msg, size, type, flags);
    u64 site = HD_SITE();
    struct msg_wait m = {.id = id, .type = type, .flags = flags};
    struct hd_wait w = {.probe = msg_is_there, .arg = &m};
    if ((flags & IPC_NOWAIT) || (long)size < 0) {
        hd_io_step(-1, site);
    } else {
        int err =
            hd_wait_full(&w, HD_NEVER, -1, site, HD_IO_FLAGS, HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
        if (err)
            return hd_fail(err);
    }
    ssize_t r = 0;
    if (m.took_empty) {
        r = hd_user_write(msg, &m.empty_type, sizeof(long)) ? 0 : hd_fail(EFAULT);
    } else {
        hd_fill_keep(msg, sizeof(long) + size, site);
        r = HD_REAL(msgrcv)(id, msg, size, type, flags);
    }
    hd_after_out(r, site);
    if (r >= 0)
        hd_fill_state(msg, sizeof(long) + (size_t)r, site);
    return r;
}

/* ---- System V semaphores ---------------------------------------------------------- */

struct sem_wait {
    int id;
    const struct sembuf *ops;
    size_t n;
};

#define SEMOPM_MAX 500 /* Linux: more operations are refused */

/* Would all operations go through, one after the other? */
static int sem_goes(void *arg)
{
    struct sem_wait *sw = arg;
    for (size_t i = 0; i < sw->n; i++) {
        long value = hd_sys(SYS_semctl, sw->id, sw->ops[i].sem_num, GETVAL, 0);
        if (value < 0)
            return 1;
        for (size_t k = 0; k < i; k++)
            if (sw->ops[k].sem_num == sw->ops[i].sem_num)
                value += sw->ops[k].sem_op;
        if (sw->ops[i].sem_op == 0 ? value != 0 : value + sw->ops[i].sem_op < 0)
            return sw->ops[i].sem_flg & IPC_NOWAIT; /* fails at once: also an answer */
    }
    return 1;
}

static int do_semop(int id, struct sembuf *ops, size_t n, s64 deadline, u64 site)
{
    if (!hd_user_can_read(ops, HD_MIN(n, (size_t)SEMOPM_MAX) * sizeof *ops))
        return HD_REAL(semop)(id, ops, n); /* EFAULT, or what comes first */
    hd_access(ops, n * sizeof *ops, false, site);
    struct sem_wait sw = {id, ops, n};
    struct hd_wait w = {.probe = sem_goes, .arg = &sw};
    int err = hd_wait_full(&w, deadline, -1, site, HD_OP_INTERRUPTIBLE,
                           HD_WAIT_EXTERNAL | HD_WAIT_NO_RESTART);
    if (err)
        return (int)hd_fail(err == ETIMEDOUT ? EAGAIN : err);
    return (int)hd_after_out(HD_REAL(semop)(id, ops, n), site);
}

HD_EXPORT int semop(int id, struct sembuf *ops, size_t n)
{
    return hd_on() ? do_semop(id, ops, n, HD_NEVER, HD_SITE()) : HD_REAL(semop)(id, ops, n);
}

HD_EXPORT int semtimedop(int id, struct sembuf *ops, size_t n, const struct timespec *timeout)
{
    if (!hd_on())
        return HD_REAL(semtimedop)(id, ops, n, timeout);
    s64 deadline = HD_NEVER;
    if (timeout && !is_valid_time(timeout))
        return HD_REAL(semtimedop)(id, ops, n, timeout); /* EINVAL, whatever the values */
    if (timeout)
        deadline = hd_deadline_rel(hd_ns_of(timeout->tv_sec, timeout->tv_nsec));
    return do_semop(id, ops, n, deadline, HD_SITE());
}

/* semctl and msgctl change what others wait for; the probes see it at the next
 * look (every few hundred steps, or when nobody else can run). */

/* ---- POSIX message queues: descriptors, on Linux ------------------------------------ */

typedef int mqd_t; /* as in <mqueue.h> */

struct mq_limits { /* struct mq_attr */
    long flags, max_messages, message_size, messages, unused[4];
};

/* What the kernel refuses before it looks at the queue: 0 or an errno. `n` is the
 * size of the message or of the buffer. */
static int mq_refused(int q, bool is_send, size_t n, unsigned prio, const struct timespec *abs)
{
    struct mq_limits a;
    if (abs && !is_valid_time(abs))
        return EINVAL;
    if (is_send && prio >= MQ_PRIO_MAX)
        return EINVAL;
    if (hd_sys(SYS_mq_getsetattr, q, NULL, &a) < 0)
        return EBADF;
    bool is_bad = is_send ? n > (size_t)a.message_size : n < (size_t)a.message_size;
    return is_bad ? EMSGSIZE : 0;
}

/* The time as the kernel would read it. */
static int mq_read_time(const struct timespec **abs, struct timespec *own)
{
    if (!*abs)
        return 0;
    if (!hd_user_read(own, *abs, sizeof *own))
        return EFAULT;
    *abs = own;
    return 0;
}

static long mq_wait(int q, short events, const struct timespec *abs, u64 site)
{
    struct pollfd p = {.fd = q, .events = events};
    struct hd_wait w = {.fds = &p, .n = 1};
    if (!hd_fd_blocks(q, events == POLLIN ? O_RDONLY : O_WRONLY)) {
        hd_io_step(q, site);
        return 0;
    }
    return hd_wait_io(&w, abs ? hd_deadline_abs(CLOCK_REALTIME, abs) : HD_NEVER, q, site,
                      HD_IO_FLAGS);
}

static ssize_t do_mq_receive(mqd_t q, char *buf, size_t n, unsigned *prio,
                             const struct timespec *abs, u64 site)
{
    struct timespec own;
    if (hd_on()) {
        long err = mq_read_time(&abs, &own);
        if (!err)
            err = mq_refused(q, false, n, 0, abs);
        if (!err)
            err = mq_wait(q, POLLIN, abs, site);
        if (err)
            return hd_fail((int)err);
        abs = NULL; /* real time is not the program's time; it is ready anyway */
    }
    if (hd_on())
        hd_fill_keep(buf, n, site);
    long r = hd_sys(SYS_mq_timedreceive, q, buf, n, prio, abs);
    if (r < 0)
        return hd_fail((int)-r);
    if (hd_on())
        hd_after_in(r, buf, site);
    return r;
}

static int do_mq_send(mqd_t q, const char *buf, size_t n, unsigned prio, const struct timespec *abs,
                      u64 site)
{
    struct timespec own;
    if (hd_on()) {
        hd_access(buf, n, false, site);
        long err = mq_read_time(&abs, &own);
        if (!err)
            err = mq_refused(q, true, n, prio, abs);
        if (!err)
            err = mq_wait(q, POLLOUT, abs, site);
        if (err)
            return (int)hd_fail((int)err);
        abs = NULL;
    }
    long r = hd_sys(SYS_mq_timedsend, q, buf, n, prio, abs);
    hd_io_dirty = true;
    return r < 0 ? (int)hd_fail((int)-r) : 0;
}

HD_EXPORT ssize_t mq_receive(mqd_t q, char *buf, size_t n, unsigned *prio);
HD_EXPORT ssize_t mq_receive(mqd_t q, char *buf, size_t n, unsigned *prio)
{
    return do_mq_receive(q, buf, n, prio, NULL, HD_SITE());
}

HD_EXPORT ssize_t mq_timedreceive(mqd_t q, char *buf, size_t n, unsigned *prio,
                                  const struct timespec *abs);
HD_EXPORT ssize_t mq_timedreceive(mqd_t q, char *buf, size_t n, unsigned *prio,
                                  const struct timespec *abs)
{
    return do_mq_receive(q, buf, n, prio, abs, HD_SITE());
}

HD_EXPORT int mq_send(mqd_t q, const char *buf, size_t n, unsigned prio);
HD_EXPORT int mq_send(mqd_t q, const char *buf, size_t n, unsigned prio)
{
    return do_mq_send(q, buf, n, prio, NULL, HD_SITE());
}

HD_EXPORT int mq_timedsend(mqd_t q, const char *buf, size_t n, unsigned prio,
                           const struct timespec *abs);
HD_EXPORT int mq_timedsend(mqd_t q, const char *buf, size_t n, unsigned prio,
                           const struct timespec *abs)
{
    return do_mq_send(q, buf, n, prio, abs, HD_SITE());
}
