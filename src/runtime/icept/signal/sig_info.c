/* sig_info.c: a list in order of arrival; see sig_info.h. Entries are recycled. */
#include "runtime/icept/signal/sig_info.h"

#include "runtime/icept/io/io_result.h"
#include "runtime/core/gate.h"
#include "runtime/icept/signal/signals.h"
#include "runtime/libc/sys.h"

struct entry {
    struct entry *next;
    u16 tid; /* HD_NO_THREAD: the process */
    u8 signo;
    siginfo_t info;
};
static struct entry *first, *unused;
static u32 n_entries;

u32 hd_sig_info_count(void) { return n_entries; }

static void release(struct entry **at)
{
    struct entry *e = *at;
    *at = e->next;
    e->next = unused;
    unused = e;
    n_entries--;
}

bool hd_sig_info_add(u16 tid, int signo, const siginfo_t *info)
{
    bool is_kept = info && info->si_code == SI_TIMER;
    /* In a replay each is taken when the recorded one was; this one may be early. */
    if (tid == HD_NO_THREAD && (hd_rt.sched.sig_foreign & hd_sig_bit(signo)) &&
        hd_io_result_is_replayed())
        is_kept = true;
    struct entry **at = &first;
    for (; *at; at = &(*at)->next)
        if (signo < 32 && !is_kept && (*at)->signo == signo && (*at)->tid == tid)
            return false;
    struct entry *e = unused;
    if (e)
        unused = e->next;
    else
        e = hd_arena_alloc(NULL, sizeof *e);
    *e = (struct entry){.tid = tid, .signo = (u8)signo};
    if (info) {
        e->info = *info;
    } else {
        e->info.si_signo = signo;
        e->info.si_code = tid == HD_NO_THREAD ? SI_USER : SI_TKILL;
        e->info.si_pid = (pid_t)hd_sys(SYS_getpid, 0);
        e->info.si_uid = (uid_t)hd_sys(SYS_getuid, 0);
    }
    *at = e;
    n_entries++;
    return true;
}

static struct entry **find(u16 tid, int signo)
{
    for (struct entry **at = &first; *at; at = &(*at)->next)
        if ((*at)->signo == signo && (*at)->tid == tid)
            return at;
    return NULL;
}

u16 hd_sig_info_receiver(u16 tid, int signo) { return find(tid, signo) ? tid : HD_NO_THREAD; }

bool hd_sig_info_pop(u16 tid, int signo, siginfo_t *out)
{
    struct entry **at = find(tid, signo);
    if (!at)
        return false;
    *out = (*at)->info;
    release(at);
    return true;
}

bool hd_sig_info_take(u16 tid, int signo, siginfo_t *out, bool *has_more, u16 *more)
{
    struct entry **at = find(tid, signo);
    if (!at)
        at = find(HD_NO_THREAD, signo);
    *has_more = false;
    hd_memset(out, 0, sizeof *out);
    out->si_signo = signo;
    if (!at)
        return false;
    *out = (*at)->info;
    release(at);
    *more = find(tid, signo) ? tid : HD_NO_THREAD;
    *has_more = find(*more, signo) != NULL;
    return true;
}

void hd_sig_info_drop(int signo)
{
    for (struct entry **at = &first; *at;) {
        if ((*at)->signo == signo)
            release(at);
        else
            at = &(*at)->next;
    }
}

void hd_sig_info_forget(u16 t)
{
    for (struct entry **at = &first; *at;) {
        if ((*at)->tid == t)
            release(at);
        else
            at = &(*at)->next;
    }
}
