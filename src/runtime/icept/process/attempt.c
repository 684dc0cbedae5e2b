/* attempt.c: what would come of it? For the harness (include/heddle/harness.h): a function is called
 * in a copy of this process, which ends with it. Nothing of it is an event of this run or a part of its
 * schedule; what it wrote is gone, but for memory that processes share.
 *
 * The copy stays under control, with models of its own: time is virtual, and a call that waits for
 * what no thread of the copy will do ends it at once, as it would end a run. So the answer does not
 * depend on how fast the machine is. Pre: the calling thread is the only one.
 */
#include "runtime/core/gate.h"
#include "runtime/core/verdict.h"
#include "runtime/filter/exclusive.h"
#include "runtime/icept/process/process.h"
#include "runtime/libc/sys.h"

/* Of the modes of the run: what streams, records and follows is not for the copy. */
#define WITHOUT (HD_MODE_STREAM | HD_MODE_LEARN | HD_MODE_DETAIL | HD_MODE_VALUES | HD_MODE_REPLAY | \
                 HD_MODE_STRICT | HD_MODE_SEARCH | HD_MODE_BESIDE)

static void own_copy(const void *at, size_t bytes, int flags, int fd, size_t from)
{
    hd_sys(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED | flags,
           fd, from);
}

/* The host, the server and later runs see nothing of what comes now. */
static void go_apart(void)
{
    size_t server = hd_shm_server_bytes();
    own_copy(hd_rt.server, server, 0, HD_SHM_FD, 0);
    own_copy(hd_rt.run, hd_shm_shared_bytes() - server, 0, HD_SHM_FD, server);
    if (hd_exclusive)
        own_copy(hd_exclusive, HD_EXCLUSIVE_BYTES, MAP_ANONYMOUS, -1, 0);
    hd_exclusive_is_filter = false;
    for (int fd = HD_SHM_FD; fd <= HD_LAST_FD; fd++)
        hd_sys(SYS_close, fd);
    ((struct hd_shm_server *)hd_rt.server)->cfg.mode &= ~(u32)WITHOUT; /* ours to write, since now */
    struct hd_sched *s = &hd_rt.sched;
    s->script = (struct hd_script){0};
    s->script_pos = s->script_used = 0;
    s->script_base = s->script_read = 0;
    s->cfg.early_per_1024 = 0;
    s->asleep = s->cfg.asleep = 0;
    hd_verdict_is_copy = true;
    hd_verdict_pid = (s32)hd_sys(SYS_getpid, 0);
    hd_tls.info->kernel_tid = hd_thread[hd_tls.tid].kernel_tid = (s32)hd_sys(SYS_gettid, 0);
}

HD_EXPORT int __heddle_attempt(void (*fn)(void *), void *arg);
/* 1: fn returned; 0: it waits for ever; 2: it failed; -1: there is no copy (the program is not
 * controlled, or no fork). */
HD_EXPORT int __heddle_attempt(void (*fn)(void *), void *arg)
{
    int status = -1;
    if (!hd_on() || hd_rt.sched.n_live > 1)
        return -1;
    hd_process_hold_signals();
    long pid = HD_REAL(_Fork) ? HD_REAL(_Fork)() : hd_sys(SYS_fork, 0);
    if (pid == 0) {
        go_apart();
        hd_process_let_signals();
        fn(arg);
        for (;;)
            hd_sys(SYS_exit_group, 0);
    }
    while (pid > 0 && hd_sys(SYS_wait4, pid, &status, 0, 0) == -EINTR)
        ;
    hd_process_let_signals();
    if (pid < 0)
        return -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == HD_COPY_WAITS)
        return 0;
    return WIFEXITED(status) && !WEXITSTATUS(status) ? 1 : 2;
}
