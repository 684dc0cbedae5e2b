/* io_result.c: what other processes answered, and the same again in a replay.
 *
 *   recorded run                       strict replay
 *   read(fd) at step 70: 12 bytes      step 70; waits until 12 are there, takes 12
 *   read(fd) at step 75: EAGAIN        EAGAIN, whatever is there by now
 *   epoll_wait at step 80: 5 and 9     waits for both, gives these two
 *
 * In the recorded run such a call may have waited for input; in the replay the
 * script says when it goes on, and only then is the input waited for, in real time
 * and with the baton: everything that made the others send it has been done. Past
 * HD_SURE_NS the call does what it can, and the replay tells where it went astray.
 * An answer belongs to a thread and a step, so one that was not recorded (a full
 * table, a call we do not follow) spoils nothing but itself.
 */
#include "runtime/icept/io/io_result.h"

#include "runtime/icept/io/fdinfo.h"
#include "runtime/libc/sys.h"
#include "runtime/icept/io/wait/wait_io.h"
#include "runtime/core/watchdog.h"

#define SLICE_NS 1000000

static u32 cursor[HD_MAX_THREADS]; /* entries before it are past for this thread */

bool hd_io_result_concerns(int fd)
{
    u32 kind = hd_fd_kind(fd);
    return (kind == S_IFSOCK || kind == S_IFIFO || kind == S_IFCHR) &&
           (hd_io_is_shared || !hd_fd_is_internal(fd));
}

/* ---- recorded results ---------------------------------------------------------------- */

bool hd_io_result_is_replayed(void)
{
    const struct hd_shm_host *m = hd_rt.host;
    return hd_rt.sched.script.strict && m->io_results_for == m->script_n;
}

static const struct hd_io_result *find(u64 from_step)
{
    const struct hd_shm_host *m = hd_rt.host;
    if (!hd_io_result_is_replayed())
        return NULL;
    const struct hd_io_result *list = hd_shm_script_io_results(m);
    u32 n = HD_MIN(m->n_script_io_results, HD_SHM_IO_RESULTS);
    u32 *at = &cursor[hd_tls.tid];
    while (*at < n && (list[*at].tid != hd_tls.tid || list[*at].step < from_step ||
                       list[*at].what == HD_IO_RESULT_SIGNAL))
        ++*at;
    return *at < n ? &list[*at] : NULL;
}

const struct hd_io_result *hd_io_result_next(int fd)
{
    const struct hd_io_result *a = find(hd_rt.sched.step + 1);
    return a && a->what == fd ? a : NULL;
}

const struct hd_io_result *hd_io_result_now(int fd)
{
    const struct hd_io_result *a = find(hd_rt.sched.step);
    return a && a->what == fd && a->step == hd_rt.sched.step ? a : NULL;
}

const struct hd_io_result *hd_io_result_take(s32 what)
{
    static u32 taken[HD_MAX_THREADS]; /* entries before it were taken */
    const struct hd_io_result *list = hd_shm_script_io_results(hd_rt.host);
    u32 n = HD_MIN(hd_rt.host->n_script_io_results, HD_SHM_IO_RESULTS), *at = &taken[hd_tls.tid];
    for (; *at < n && list[*at].step <= hd_rt.sched.step; ++*at)
        if (list[*at].tid == hd_tls.tid && list[*at].step == hd_rt.sched.step &&
            list[*at].what == what)
            return &list[(*at)++];
    return NULL;
}

const struct hd_io_result *hd_io_result_more(const struct hd_io_result *a, u32 i)
{
    const struct hd_io_result *b = a + 1 + i;
    const struct hd_io_result *end =
        hd_shm_script_io_results(hd_rt.host) + hd_rt.host->n_script_io_results;
    return b < end && b->tid == a->tid && b->step == a->step ? b : NULL;
}

bool hd_io_result_is_none(const struct hd_io_result *a)
{
    return a->value == -EINTR || a->value == -ETIMEDOUT;
}

/* ---- waiting ---------------------------------------------------------------------------- */

static s64 real_ns(void)
{
    struct timespec ts;
    hd_sys(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

bool hd_io_result_until(bool (*is_there)(void *arg), void *arg)
{
    struct timespec slice = {0, SLICE_NS / 20};
    s64 until = real_ns() + HD_SURE_NS;
    bool is = is_there(arg);
    hd_is_waiting = true; /* not stuck */
    while (!is && real_ns() < until) {
        hd_sys(SYS_nanosleep, &slice, 0);
        if (slice.tv_nsec < SLICE_NS)
            slice.tv_nsec *= 2;
        is = is_there(arg);
    }
    hd_is_waiting = false;
    return is;
}

struct bytes {
    int fd;
    s64 n; /* so many; 0 or less: the end, or an error */
};

static bool are_there(void *arg)
{
    const struct bytes *b = arg;
    struct pollfd p = {.fd = b->fd, .events = POLLIN};
    int n = 0;
    if (hd_sys(SYS_poll, &p, 1, 0) <= 0)
        return false;
    if (b->n <= 0 || (p.revents & (POLLHUP | POLLERR | POLLNVAL)))
        return true;
    return hd_sys(SYS_ioctl, b->fd, FIONREAD, &n) < 0 || n >= b->n;
}

/* Reading less of a datagram would lose the rest of it. */
static bool is_stream(int fd)
{
    int type = SOCK_STREAM;
    socklen_t len = sizeof type;
    hd_sys(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &len);
    return type == SOCK_STREAM;
}

int hd_io_result_await(int fd, size_t *n)
{
    const struct hd_io_result *a = hd_io_result_now(fd);
    if (!a)
        return 0;
    if (a->value == -EAGAIN)
        return EAGAIN;
    bool by_size = n && is_stream(fd);
    struct bytes b = {fd, by_size ? a->value : 0};
    hd_io_result_until(are_there, &b);
    if (by_size && a->value > 0 && (u64)a->value < *n)
        *n = (size_t)a->value;
    return 0;
}

/* ---- recording ---------------------------------------------------------------------------- */

void hd_io_result_note_read(int fd, s64 value, u16 sum)
{
    struct hd_shm_run *m = hd_rt.run;
    if (m->n_io_results < HD_SHM_IO_RESULTS)
        hd_shm_io_results(m)[m->n_io_results++] = (struct hd_io_result){
            .step = hd_rt.sched.step, .value = value, .what = fd, .tid = hd_tls.tid, .sum = sum};
}

void hd_io_result_note_more(s32 what, s64 value) { hd_io_result_note_read(what, value, 0); }
void hd_io_result_note(int fd, s64 value) { hd_io_result_note_more(fd, value); }

void hd_io_result_differs(int fd)
{
    struct hd_stats *st = &hd_rt.run->stats;
    if (st->input_step)
        return;
    st->input_step = hd_rt.sched.step;
    st->input_fd = fd;
}
