/* stand_by.c: a process that a command under test started and that is not controlled, or not
 * yet: a program may fork its workers, and the worker is the one with threads. So when a process
 * comes to its first thread it asks the host (event/ask.h), and is taken over there if it is the
 * one that is meant. */
#include "runtime/started/stand_by.h"

#include "runtime/core/init.h"
#include "runtime/core/server.h"
#include "runtime/libc/sys.h"
#include "runtime/started/ask.h"
#include "runtime/started/earlier.h"

static struct {
    char name[HD_ASK_NAME]; /* "" = nobody is to be asked */
    int argc;
    char **argv, **envp;
    s32 pid;                /* the process that was started */
    s32 asked;              /* the last one that asked */
    u64 forks;              /* by which forks it came about, and how many it has made, */
    u64 made;               /* ... whatever order the kernel lets them run in */
} as;

void hd_stand_by_forks(void) { as.made++; }

void hd_stand_by_forked(void)
{
    as.forks = (as.forks + as.made) * 0x9e3779b97f4a7c15ull;
    as.made = 0;
    if (as.name[0] && !hd_rt.is_on && !hd_earlier_is_noted)
        hd_earlier_begin(); /* the parent had threads; the child has one again */
}

void hd_stand_by(const char *name, int argc, char **argv, char **envp)
{
    if (!name || hd_strlen(name) >= sizeof as.name)
        return;
    name += *name == HD_ASK_ALL;
    hd_memcpy(as.name, name, hd_strlen(name) + 1);
    as.argc = argc;
    as.argv = argv;
    as.envp = envp;
    as.pid = (s32)hd_sys(SYS_getpid, 0);
    hd_earlier_begin();
}

void hd_stand_by_threads(void)
{
    static struct hd_ask ask;
    static struct hd_reply reply;
    s32 pid;
    if (!as.name[0] || hd_rt.is_on || hd_earlier_is_full() ||
        as.asked == (pid = (s32)hd_sys(SYS_getpid, 0)))
        return;
    as.asked = pid;
    hd_ask_init(&ask, HD_ASK_THREADS, "libtsan", as.argc, as.argv);
    ask.is_forked = pid != as.pid;
    ask.forks = as.forks;
    hd_ask(as.name, &ask, &reply);
    hd_earlier_is_noted = false;
    if (reply.kind != HD_REPLY_CONTROL)
        return;
    hd_earlier_leave_real();
    hd_init_take_over(as.envp);
    hd_server_start();
    hd_earlier_state();
}
