/* transfer.h: what all reading and writing calls share: waiting for their turn
 * and reporting what they touched. */
#ifndef HD_TRANSFER_H
#define HD_TRANSFER_H

#include "runtime/icept/io/fdinfo.h"
#include "runtime/icept/io/io_step.h"
#include "runtime/icept/io/wait/wait_io.h"

#define HD_IO_FLAGS (HD_OP_INTERRUPTIBLE | HD_OP_CANCEL)

/* A second name of an exported function. */
#if __has_attribute(copy)
#define HD_COPY_ATTRIBUTES(of) __attribute__((copy(of)))
#else
#define HD_COPY_ATTRIBUTES(of)
#endif
#define HD_ALIAS(name, of)                                                                         \
    extern __typeof__(of) name __attribute__((alias(#of), visibility("default")))                  \
    HD_COPY_ATTRIBUTES(of)

/* Waits until `events` on fd; `timeout_opt` is SO_RCVTIMEO or SO_SNDTIMEO; `how`
 * as in wait_io.h. 0 or an errno as the real call would give it. */
int hd_fd_wait(int fd, short events, int timeout_opt, u64 site, u8 op_flags, u8 how);

/* ... until `is_ready`, of a socket that is received from. */
int hd_fd_wait_until(int fd, int (*is_ready)(void *arg), void *arg, u64 site, u8 op_flags, u8 how);

/* So many bytes must be there before the kernel lets a receiver go on; poll tells of any. */
struct hd_need {
    int fd;
    s64 bytes;
};
int hd_need_is_met(void *need);
/* ... of `total` that a call asks for, by SO_RCVLOWAT: only Unix sockets wait for that many. */
s64 hd_need_by_mark(int fd, s64 total);

/* Only a listening socket accepts, only one that talks sends and receives: anything else
 * the kernel refuses at once, and nothing is to be waited for. */
enum { HD_SOCKET_NONE, HD_SOCKET_LISTENS, HD_SOCKET_TALKS };
int hd_socket_role(int fd);
/* Value of an option of SOL_SOCKET, -1 = it has none. */
int hd_socket_option(int fd, int option);

/* Before a read from / a write to fd: waits if it may block, else a step. */
int hd_before_in(int fd, u64 site);
/* ... of at most *n bytes (NULL: not of bytes) that other processes may have sent: then
 * as recorded in a replay. *is_recorded: the result is to be given to hd_after_external. */
int hd_before_external(int fd, size_t *n, bool *is_recorded, u64 site);
ssize_t hd_after_external(int fd, ssize_t r, bool is_recorded, const struct iovec *iov,
                         int n);
int hd_before_out(int fd, u64 site);

/* After: notes memory, readiness, and futile tries. Returns r. */
ssize_t hd_after_in(ssize_t r, void *buf, u64 site);
ssize_t hd_after_out(ssize_t r, u64 site);
ssize_t hd_after_iov(ssize_t r, const struct iovec *iov, int n, u64 site);

void hd_access_iov(const struct iovec *iov, int n, size_t bytes, bool is_write, u64 site);
size_t hd_iov_bytes(const struct iovec *iov, int n);
/* Bytes [skip, skip + max) of an iovec, as one of at most n parts in `to`. */
int hd_iov_cut(struct iovec *to, const struct iovec *iov, int n, size_t skip, size_t max);

/* A blocking send of all of m (stream sockets: in pieces). flags as sendmsg. */
ssize_t hd_send_message(int fd, const struct msghdr *m, int flags, u64 site);
/* A blocking write of all of iov to whatever fd is. */
ssize_t hd_write_all(int fd, const struct iovec *iov, int n, u64 site);

/* Tells the program as `ev` wants it, with si_code `code` (async.c). SIGEV_THREAD: calls the
 * function, so the caller is a thread made for it. libc calls it with no signal blocked. */
void hd_tell(const struct sigevent *ev, int code);
/* Pre: valid nanoseconds, if any. NULL: never. */
s64 hd_deadline_after(const struct timespec *timeout);

/* F_SETLKW and F_OFD_SETLKW. */
int hd_lock_and_wait(int fd, int cmd, struct flock *lock, u64 site);

/* Fails with `err`. */
HD_INLINE ssize_t hd_fail(int err)
{
    errno = err;
    return -1;
}

/* For <_FORTIFY_SOURCE>'s variants. */
_Noreturn void __chk_fail(void);

#endif
