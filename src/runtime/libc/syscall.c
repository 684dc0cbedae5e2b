/* syscall.c: the exported syscall(). Calls that block, tell the time, let
 * chance in or end something are led to what their libc function does; all
 * others go to the kernel as they are.
 *
 * Where another interceptor does the work it is called by its libc name, so a
 * report shows syscall() as the caller's line but with one frame of ours; and
 * the call becomes a cancellation point, which syscall() itself is not.
 */
#include "runtime/icept/sync/sync.h"
#include "runtime/icept/process/process.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/syscall.h"
#include "runtime/libc/user_mem.h"

static long result(long r)
{
    return r < 0 ? hd_errno_result((int)-r) : r;
}

static long sleep_call(clockid_t clock, int flags, long ts, long rem, u64 site)
{
    int err = hd_sleep(clock, flags, (const struct timespec *)ts, (struct timespec *)rem, site);
    return hd_errno_result(err);
}

/* Each returns true if the call was served: then *r is its result. */

static bool serve_time(long number, const long a[6], u64 site, long *r)
{
    switch (number) {
    case SYS_nanosleep:
        *r = sleep_call(CLOCK_REALTIME, 0, a[0], a[1], site);
        return true;
    case SYS_clock_nanosleep:
        if (a[0] < 0)
            return false;
        *r = sleep_call((clockid_t)a[0], (int)a[1], a[2], a[3], site);
        return true;
    case SYS_clock_gettime:
        if (!hd_user_can_read((void *)a[1], sizeof(struct timespec)))
            return false;
        *r = clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
        return true;
    case SYS_clock_getres:
        if (a[1] && !hd_user_can_read((void *)a[1], sizeof(struct timespec)))
            return false;
        *r = clock_getres((clockid_t)a[0], (struct timespec *)a[1]);
        return true;
    case SYS_clock_settime:
        *r = clock_settime((clockid_t)a[0], (const struct timespec *)a[1]);
        return true;
    case SYS_gettimeofday:
        if (!a[0] || !hd_user_can_read((void *)a[0], sizeof(struct timeval)))
            return false;
        *r = gettimeofday((struct timeval *)a[0], (void *)a[1]);
        return true;
    case SYS_time:
        if (a[0] && !hd_user_can_read((void *)a[0], sizeof(time_t)))
            return false;
        *r = time((time_t *)a[0]);
        return true;
    case SYS_times:
        *r = times((struct tms *)a[0]);
        return true;
    default:
        return false;
    }
}

static bool serve_process(long number, const long a[6], u64 site, long *r)
{
    switch (number) {
    case SYS_close:
        *r = close((int)a[0]);
        return true;
    case SYS_close_range:
        *r = close_range((unsigned)a[0], (unsigned)a[1], (int)a[2]);
        return true;
    case SYS_sigaltstack:
        *r = sigaltstack((const stack_t *)a[0], (stack_t *)a[1]);
        return true;
    case SYS_kill:
        *r = kill((pid_t)a[0], (int)a[1]);
        return true;
    case SYS_tgkill:
        *r = tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
        return true;
    case SYS_tkill:
        *r = tgkill((pid_t)hd_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0), (pid_t)a[0], (int)a[1]);
        return true;
    case SYS_fork:
        *r = fork();
        return true;
    case SYS_vfork:
        *r = vfork(); /* our own: NOLINT(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
        return true;
    case SYS_clone:
    case SYS_clone3:
        *r = result(hd_process_clone(number, a, site));
        return true;
    default:
        return false;
    }
}

static bool serve(long number, const long a[6], u64 site, long *r)
{
    switch (number) {
    case SYS_futex:
        *r = result(hd_futex(a, site));
        return true;
    case SYS_sched_yield:
        hd_gate_obj(HD_EV_YIELD, site, NULL, HD_YIELD_CALL);
        *r = 0;
        return true;
    case SYS_getrandom:
        *r = getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
        return true;
    case SYS_read:
        *r = read((int)a[0], (void *)a[1], (size_t)a[2]);
        return true;
    case SYS_write:
        *r = write((int)a[0], (const void *)a[1], (size_t)a[2]);
        return true;
    case SYS_poll:
        *r = poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]);
        return true;
    case SYS_epoll_wait:
        *r = epoll_wait((int)a[0], (struct epoll_event *)a[1], (int)a[2], (int)a[3]);
        return true;
    case SYS_accept4:
        *r = accept4((int)a[0], (struct sockaddr *)a[1], (socklen_t *)a[2], (int)a[3]);
        return true;
    case SYS_recvfrom:
        *r = recvfrom((int)a[0], (void *)a[1], (size_t)a[2], (int)a[3], (struct sockaddr *)a[4],
                      (socklen_t *)a[5]);
        return true;
    case SYS_wait4:
        *r = wait4((pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3]);
        return true;
    case SYS_io_uring_setup: /* what is done through it is the kernel's affair */
        hd_uncontrolled(HD_UNC_IO, "io_uring_setup");
        return false;
    case SYS_exit:
        pthread_exit(NULL); /* ends this thread only */
    case SYS_exit_group:
        _exit((int)a[0]);
    default:
        return serve_time(number, a, site, r) || serve_process(number, a, site, r);
    }
}

bool hd_syscall_serve(long number, const long a[6], u64 site, long long *r)
{
    int was = errno;
    long got;
    if (!serve(number, a, site, &got))
        return false;
    *r = got == -1 ? -errno : got;
    errno = was;
    return true;
}

HD_EXPORT long syscall(long number, ...)
{
    /* Six are read even if fewer were passed, as the real function does. */
    long a[6];
    va_list ap;
    va_start(ap, number);
    for (u32 i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    long r;
    if (hd_on() && serve(number, a, HD_SITE(), &r))
        return r;
    return HD_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
