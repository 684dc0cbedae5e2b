/* inherit.c: what the target has from its parent: descriptors besides 0..2 and
 * ours, resource limits, file mode mask, ignored signals, environment.
 *
 * A run depends on all of it: numbers of descriptors are handed out in order, the
 * stack limit moves every mapping. While testing, the program has what heddle's
 * caller has, and nothing that heddle or its libraries opened; it is part of the
 * replay file. A replay gives the program the same: what is open now and was not
 * then is closed, /dev/null stands in for what is missing. What cannot be restored
 * is remembered (hd_worker.lost), because it is the first suspect if the replay
 * leaves its schedule.
 */
#include "process/inherit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define OWN_STACK (8u << 20) /* what heddle itself may use, whatever the target has */

static struct hd_inherited caller;

/* ---- what heddle's caller has ------------------------------------------------------ */

static void note_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    struct dirent *e;
    while (d && (e = readdir(d))) {
        int fd = atoi(e->d_name);
        if (fd > STDERR_FILENO && fd < HD_SHM_FD && fd != dirfd(d))
            hd_bit_set(caller.fds, (u32)fd);
    }
    if (d)
        closedir(d);
}

static u64 amount(rlim_t r) { return r == RLIM_INFINITY ? HD_LIMIT_NONE : (u64)r; }
static rlim_t unamount(u64 n) { return n == HD_LIMIT_NONE ? RLIM_INFINITY : (rlim_t)n; }

void hd_inherit_note(void)
{
    struct rlimit r;
    struct sigaction a;
    _Static_assert(sizeof(cpu_set_t) == sizeof caller.cpus, "layout");
    note_descriptors();
    for (u32 i = 0; i < HD_LIMITS; i++)
        if (!getrlimit(hd_rlimit_resource(i), &r))
            caller.limit[i] = (struct hd_rlimit){amount(r.rlim_cur), amount(r.rlim_max)};
    for (int signo = 1; signo < NSIG; signo++)
        if (!sigaction(signo, NULL, &a) && a.sa_handler == SIG_IGN)
            caller.ignored |= (u64)1 << (signo - 1);
    caller.umask = umask(077);
    umask(caller.umask);
    caller.uid = geteuid();
    caller.online = (u32)get_nprocs();
    caller.configured = (u32)get_nprocs_conf();
    sched_getaffinity(0, sizeof caller.cpus, (cpu_set_t *)caller.cpus);
    caller.is_complete = true;
    for (char **e = environ; *e && caller.is_complete; e++)
        caller.is_complete = !hd_inherited_add(&caller, *e);
}

void hd_inherit_make_room(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_STACK, &r) || r.rlim_cur >= OWN_STACK)
        return;
    r.rlim_cur = HD_MIN((rlim_t)OWN_STACK, r.rlim_max);
    setrlimit(RLIMIT_STACK, &r);
}

const struct hd_inherited *hd_inherit_caller(void) { return &caller; }

/* The variable of that name, or NULL. */
static const char *find_in(char *const *env, const char *text)
{
    size_t n = strcspn(text, "=") + 1;
    for (char *const *e = env; e && *e; e++)
        if (!strncmp(*e, text, n))
            return *e;
    return NULL;
}

int hd_inherit_over(char *const *env)
{
    struct hd_inherited now = caller;
    int e = 0;
    now.env = NULL;
    now.n_env = 0;
    for (char **v = environ; *v && !e; v++)
        if (!find_in(env, *v))
            e = hd_inherited_add(&now, *v);
    for (char *const *v = env; v && *v && !e; v++)
        e = hd_inherited_add(&now, *v);
    struct hd_inherited was = caller;
    if (!e)
        caller = now;
    hd_inherited_release(e ? &now : &was);
    return e;
}

/* ---- giving it to the target --------------------------------------------------------- */

/* Ends at exec. */
static void drop(u32 from, u32 to)
{
    if (from > to || !syscall(SYS_close_range, from, to, CLOSE_RANGE_CLOEXEC))
        return;
    for (u32 fd = from; fd <= HD_MIN(to, (u32)HD_LAST_FD); fd++) /* before Linux 5.11 */
        fcntl((int)fd, F_SETFD, FD_CLOEXEC);
}

/* Workers and runs must not share the position in a file they read. */
static void part(int fd)
{
    struct stat st;
    char path[40];
    int flags = fcntl(fd, F_GETFL);
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (flags < 0 || at < 0 || (flags & O_ACCMODE) != O_RDONLY || fstat(fd, &st) ||
        !S_ISREG(st.st_mode))
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int own = open(path, O_RDONLY | O_CLOEXEC | (flags & O_NONBLOCK));
    if (own < 0)
        return;
    if (lseek(own, at, SEEK_SET) == at)
        dup2(own, fd);
    close(own);
}

static int apply_descriptors(const u64 *set)
{
    u32 next = STDERR_FILENO + 1;
    HD_BITS_EACH(fd, set, HD_INHERIT_WORDS)
    {
        drop(next, fd - 1);
        next = fd + 1;
        if (hd_bit_is_set(caller.fds, fd)) {
            part((int)fd);
            continue;
        }
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (null < 0 || dup2(null, (int)fd) < 0 || fcntl((int)fd, F_SETFD, 0))
            return -errno;
        if (null != (int)fd)
            close(null);
    }
    drop(next, HD_SHM_FD - 1);
    drop(HD_LAST_FD + 1, ~0u);
    return 0;
}

u32 hd_inherit_limits(const struct hd_inherited *h)
{
    u32 lost = 0;
    struct rlimit now;
    for (u32 i = 0; h->is_complete && i < HD_LIMITS; i++) {
        struct rlimit want = {unamount(h->limit[i].soft), unamount(h->limit[i].hard)};
        int what = hd_rlimit_resource(i);
        if (getrlimit(what, &now) || (now.rlim_cur == want.rlim_cur && now.rlim_max == want.rlim_max))
            continue;
        if (!setrlimit(what, &want))
            continue;
        want.rlim_max = now.rlim_max; /* only root may raise it */
        want.rlim_cur = HD_MIN(want.rlim_cur, want.rlim_max);
        if (setrlimit(what, &want) || amount(want.rlim_cur) != h->limit[i].soft)
            lost |= 1u << i;
    }
    return lost;
}

/* The target may not have a handler of ours, whatever the recorded run ignored. */
static void apply_signals(const struct hd_inherited *h)
{
    for (int signo = 1; signo < NSIG; signo++)
        if (signo != SIGKILL && signo != SIGSTOP)
            signal(signo, h->ignored >> (signo - 1) & 1 ? SIG_IGN : SIG_DFL);
}

int hd_inherit_apply(const struct hd_inherited *h)
{
    if (h->is_complete) {
        umask(h->umask);
        apply_signals(h);
    }
    return apply_descriptors(h->fds);
}

char **hd_inherit_env(const struct hd_inherited *h)
{
    const struct hd_inherited *from = h->is_complete ? h : &caller;
    char **env = calloc(from->n_env + 1, sizeof *env);
    u32 n = 0;
    for (u32 i = 0; env && i < from->n_env; i++) {
        const struct hd_variable *v = &from->env[i];
        if (v->is_secret && !strchr(v->text, '=')) /* read from a file */
            v = hd_inherited_find(&caller, v->text, strlen(v->text));
        if (v)
            env[n++] = v->text;
    }
    return env;
}

/* ---- what could not be given ----------------------------------------------------------- */

static void format_amount(u64 n, char *buf, size_t size)
{
    if (n == HD_LIMIT_NONE)
        snprintf(buf, size, "unlimited");
    else
        snprintf(buf, size, "%llu", (unsigned long long)n);
}

static void lost_limits(const struct hd_inherited *h, u32 lost, FILE *to)
{
    HD_BITS_EACH(i, &(u64){lost}, 1)
    {
        char then[24], now[24];
        format_amount(h->limit[i].soft, then, sizeof then);
        format_amount(caller.limit[i].hard, now, sizeof now);
        fprintf(to, "; the limit '%s' was %s and cannot be raised above %s here",
                hd_rlimit_name(i), then, now);
    }
}

static void lost_variables(const struct hd_inherited *h, FILE *to)
{
    for (u32 i = 0; i < h->n_env; i++) {
        const struct hd_variable *v = &h->env[i];
        size_t name = strcspn(v->text, "=");
        if (!v->is_secret || v->text[name])
            continue;
        const struct hd_variable *now = hd_inherited_find(&caller, v->text, name);
        if (!now || now->hash != v->hash)
            fprintf(to, "; the variable %s %s (values of such names are not kept in files)",
                    v->text, now ? "has another value now" : "is not set now");
    }
}

char *hd_inherit_lost(const struct hd_inherited *h, u32 lost)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    if (!to)
        return NULL;
    HD_BITS_EACH(fd, h->fds, HD_INHERIT_WORDS)
        if (!hd_bit_is_set(caller.fds, fd))
            fprintf(to, "; descriptor %u was open, and /dev/null stands in for it", fd);
    if (h->is_complete) {
        lost_limits(h, lost, to);
        lost_variables(h, to);
        if (h->uid != caller.uid)
            fprintf(to, "; it was recorded as user %u, this is user %u", h->uid, caller.uid);
    }
    if (fclose(to) || !n) {
        free(text);
        return NULL;
    }
    memmove(text, text + 2, n - 1);
    return text;
}
