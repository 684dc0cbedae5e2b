/* unsafe.c: see unsafe.h. */
#include "runtime/icept/signal/unsafe.h"

#include "event/effect.h"
#include "runtime/core/gate.h"
#include "runtime/core/notes.h"
#include "runtime/core/stop.h"

#define MOST_POINTS 1000 /* calls of a run that are scheduling points */

bool hd_unsafe_on;
static const char *entered[HD_MAX_THREADS]; /* the function that a thread is about to call */
static u32 n_points;

static bool checks(u32 mode) { return hd_rt.server->cfg.mode & mode && hd_rt.server->is_ready; }

/* libc and the loader call malloc with locks of theirs held: no place to stop at, and not what
 * the program called. */
static bool is_libc(u64 site)
{
    static u64 from[2], to[2];
    if (!to[0]) {
        const struct hd_module *all = hd_shm_modules(hd_rt.run);
        u64 libc = (u64)HD_REAL(abort);
        for (u32 i = 0; i < hd_rt.run->n_modules; i++) {
            const char *slash = all[i].path, *p = slash;
            for (; *p; p++)
                slash = *p == '/' ? p + 1 : slash;
            if (libc - all[i].start < all[i].end - all[i].start)
                from[0] = all[i].start, to[0] = all[i].end;
            else if (slash[0] == 'l' && slash[1] == 'd' && slash[2] == '-')
                from[1] = all[i].start, to[1] = all[i].end;
        }
        if (!to[0])
            return true;
    }
    return site - from[0] < to[0] - from[0] || site - from[1] < to[1] - from[1];
}

/* ---- calls ------------------------------------------------------------------------------- */

static void append(char *to, size_t size, size_t *n, const char *text)
{
    size_t len = HD_MIN(hd_strlen(text), size - 1 - *n);
    hd_memcpy(to + *n, text, len);
    *n += len;
    to[*n] = 0;
}

/* printf() for __printf_chk; an operator has a blank in its name. */
static void append_name(char *to, size_t size, size_t *n, const char *name)
{
    static const char checked[] = "_chk";
    for (const char *p = name; *p; p++)
        if (*p == ' ') {
            append(to, size, n, name);
            return;
        }
    append(to, size, n, name + (name[0] == '_' && name[1] == '_' ? 2 : 0));
    if (*n > 4 && !hd_memcmp(to + *n - 4, checked, 4))
        *n -= 4;
    append(to, size, n, "()");
}

/* A handler calls such a function: is it one that it has interrupted? */
static void called(const struct hd_interrupted *by, const char *name, u64 site)
{
    if (!by->is_async)
        return;
    hd_note_add(HD_NOTE_UNSAFE_CALL, site, by->signo);
    if (by->kind != HD_EV_CALL || !checks(HD_MODE_CHECK_CALLS))
        return;
    char text[160];
    size_t n = 0;
    append_name(text, sizeof text, &n, name);
    append(text, sizeof text, &n, " in a signal handler that interrupted ");
    append_name(text, sizeof text, &n, entered[hd_tls.tid]);
    struct hd_verdict *v = &hd_rt.run->verdict;
    v->misuse = (struct hd_misuse){.kind = HD_MISUSE_UNSAFE_CALL, .tid = hd_tls.tid,
                                   .owner = HD_NO_THREAD, .obj = by->signo, .site = site,
                                   .at = by->site, .step = hd_rt.sched.step};
    v->pc = site;
    hd_die(HD_V_MISUSE, text);
}

void hd_unsafe_enter(const char *name, u64 site)
{
    if (!hd_on() || is_libc(site))
        return;
    hd_stop_poll(); /* a loop of such calls is hardly ever outside of us and of libc */
    const struct hd_interrupted *by = hd_sig_interrupted(hd_tls.tid);
    if (by) {
        called(by, name, site);
        return;
    }
    if (!checks(HD_MODE_CHECK_CALLS) || n_points >= MOST_POINTS)
        return;
    n_points++;
    int err = errno;
    struct hd_op op = hd_op_make(HD_EV_CALL, site, 0);
    entered[hd_tls.tid] = name;
    hd_gate(&op);
    errno = err;
}

/* ---- errno ------------------------------------------------------------------------------- */

/* In a call errno is the call's: nobody may count on it afterwards. In the program's own code, at
 * an access, it is the program's. */
void hd_unsafe_errno(const struct hd_interrupted *by, u64 handler, int before)
{
    if (!by->is_async || hd_space_of(by->kind) != HD_SPACE_MEMORY || !hd_on())
        return;
    hd_note_add(HD_NOTE_ERRNO, handler + 1, by->signo);
    if (!checks(HD_MODE_CHECK_ERRNO))
        return;
    struct hd_verdict *v = &hd_rt.run->verdict;
    v->misuse = (struct hd_misuse){.kind = HD_MISUSE_ERRNO, .tid = hd_tls.tid,
                                   .owner = HD_NO_THREAD, .site = handler + 1, .at = by->site,
                                   .obj = hd_misuse_errno(by->signo, before, errno),
                                   .step = hd_rt.sched.step};
    v->pc = handler + 1;
    hd_die(HD_V_MISUSE, "errno changed by a signal handler");
}
