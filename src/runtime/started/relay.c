/* relay.c: the program was started by a command of the user's (make, a script), not by heddle.
 *
 *   sh ---fork, exec---> this process ---fork---> the run
 *      <--its status----  (server.c)  <--wait4---
 *
 * The run is a child, so that the server can judge it as it does any other. Whoever started the
 * program sees this process alone: signals sent to it go on to the run, and it ends the way the
 * run did. It keeps no descriptor, so that the other end of a pipe sees the run close its own. A
 * signal to the whole process group reaches both, and so the run twice.
 */
#include "runtime/started/relay.h"

#include <sys/prctl.h>

#include "runtime/libc/sys.h"

#define FIRST_REAL_TIME 34 /* those before it are libc's own */

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT,
                             SIGWINCH, SIGPIPE, SIGURG, SIGIO, SIGPROF, SIGVTALRM};
static long run_pid;

static void pass(int signo) { hd_sys(SYS_kill, run_pid, signo); }

long hd_relay_fork(void)
{
    u64 all = ~0ull, was = 0;
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &all, &was, 8);
    long pid = HD_REAL(_Fork) ? HD_REAL(_Fork)() : hd_sys(SYS_fork, 0);
    if (!pid) /* who kills this process with SIGKILL means the run */
        hd_sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (pid > 0) {
        struct sigaction sa = {.sa_handler = pass, .sa_flags = SA_RESTART};
        run_pid = pid;
        for (u32 i = 0; i < HD_COUNT(passed); i++)
            HD_REAL(sigaction)(passed[i], &sa, NULL);
        for (int s = FIRST_REAL_TIME; s < _NSIG; s++)
            HD_REAL(sigaction)(s, &sa, NULL);
        hd_sys(SYS_close_range, 0, HD_SHM_FD - 1, 0);
        hd_sys(SYS_close_range, HD_LAST_FD + 1, ~0u, 0);
        was = 0;
    }
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &was, 0, 8);
    return pid;
}

/* By the signal itself, as the program would have; without a core of this process. */
static void end_by(int signo)
{
    struct rlimit none = {0, 0};
    struct {
        void *handler;
        unsigned long flags;
        void *restorer;
        u64 mask;
    } dfl = {SIG_DFL, 0, 0, 0};
    u64 open = 0;
    hd_sys(SYS_prlimit64, 0, RLIMIT_CORE, &none, 0);
    hd_sys(SYS_rt_sigaction, signo, &dfl, 0, 8);
    hd_sys(SYS_rt_sigprocmask, SIG_SETMASK, &open, 0, 8);
    hd_sys(SYS_kill, hd_sys(SYS_getpid, 0), signo);
}

_Noreturn void hd_relay_end(int status, u32 kind, u32 signo)
{
    if (WIFSIGNALED(status))
        end_by(WTERMSIG(status));
    else if ((kind == HD_V_SIGNAL || kind == HD_V_ASSERT) && signo && signo < 32)
        end_by((int)signo); /* die.c writes the verdict and leaves by exit */
    for (;;)
        hd_sys(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
