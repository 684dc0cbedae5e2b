/* stand_in.c: a debugger starts the program itself, and the program is to be where a command has
 * it: with its descriptors, folder, arguments and environment.
 *
 *   gdb ---> this process ---execve---> the program under control
 *               |  ^ descriptors, arguments, environment
 *              host '----- P: what the command started; waits (event/ask.h: STAND_IN)
 *               '--> command ---> ... ---> P, ends with the program's status
 *
 * The host is a process of its own beside the program, and none of its children: those are the
 * program's business. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "children/companion.h"
#include "event/shm.h"
#include "process/inherit.h"
#include "process/stray.h"
#include "process/worker.h"
#include "script/script.h"

#define POLL_MS 20
#define READY_MS 10000     /* for a process that was told to wait, on a busy machine */
#define AFTERWARDS_MS 5000 /* for the command to end when its program has */
#define HIGHEST_FD 65536

/* What the host tells the process it works for. */
struct news {
    int pid; /* the one that waits; 0 = none, and: */
    char why[300];
};

/* ---- the host ------------------------------------------------------------------------------ */

struct host {
    const struct hd_children *of;
    struct hd_script_proc proc;
    struct hd_listener listener;
    int news, program;         /* pipe; pidfd of the program, or of what becomes it */
    int to;                    /* the one that waits, -1 = none yet */
    struct hd_arrivals arrivals;
    struct hd_companions beside; /* that follow their records, */
    struct hd_worker replay;   /* ... of this run */
    int status;                /* for it, as waitpid gives it */
};

static void send_news(struct host *h, int pid, const char *why)
{
    struct news n = {.pid = pid};
    snprintf(n.why, sizeof n.why, "%s", why);
    if (h->news < 0 || write(h->news, &n, sizeof n) != sizeof n)
        return; /* nobody listens any more, which the pidfd tells as well */
    close(h->news);
    h->news = -1;
}

static void let_wait(struct host *h, int to, int pid)
{
    struct hd_reply reply = {.magic = HD_ASK_MAGIC, .kind = HD_REPLY_STAND_IN};
    struct pollfd p = {to, POLLIN, 0};
    char byte;
    if (send(to, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply ||
        poll(&p, 1, READY_MS) <= 0 || recv(to, &byte, 1, 0) != 1) {
        close(to);
        send_news(h, 0, "the program ended before it could be taken over");
        return;
    }
    h->to = to;
    send_news(h, pid, "");
}

/* The others follow their records as they do without a debugger. */
static void control_others(struct host *h)
{
    const struct hd_replay *r = h->of->record;
    static struct hd_shm_host part;
    struct hd_error err;
    struct hd_launch how = {.cfg = &r->cfg};
    part.cfg.mode = HD_MODE_REPLAY | HD_MODE_STRICT;
    h->replay.host = &part;
    h->replay.sent.first_run = r->run;
    h->replay.run.others = r->others;
    h->replay.run.n_others = r->others ? r->n_others : 0;
    if (hd_companions_make(&h->beside, h->of, &how, -1, &err) ||
        hd_companions_begin(&h->beside, &h->replay, h->of->meant))
        h->beside.n = 0; /* then they run freely */
}

static struct hd_companion *companion_of(struct host *h, const struct hd_process *who)
{
    for (u32 i = 0; i < h->beside.n; i++) {
        struct hd_companion *k = &h->beside.at[i];
        if (k->is_wanted && !k->is_attached &&
            hd_process_is(&k->who, who, h->of->beside, h->of->n_beside))
            return k;
    }
    return NULL;
}

static void reply_all(struct host *h)
{
    struct hd_ask a;
    char runtime[512];
    int pid, to;
    while (hd_children_asked(&h->listener, &a, &pid, &to)) {
        hd_children_runtime(&a, runtime, sizeof runtime);
        struct hd_process who;
        bool is_one = (runtime[0] || a.kind == HD_ASK_THREADS) && hd_arrivals_add(&h->arrivals, &a, &who);
        struct hd_companion *k = is_one ? companion_of(h, &who) : NULL;
        if (is_one && h->to < 0 && a.kind == HD_ASK_START &&
            hd_process_is(h->of->meant, &who, h->of->beside, h->of->n_beside))
            let_wait(h, to, pid);
        else if (k)
            hd_companion_attach(&h->beside, k, to, pid, runtime);
        else
            hd_children_reply(to, runtime[0] ? HD_REPLY_PASSIVE : HD_REPLY_FREE, runtime, NULL);
    }
}

/* The program is no child of ours: its end is that of the recorded run. */
static void end_stand_in(struct host *h)
{
    s32 status = h->status;
    if (h->to < 0)
        return;
    send(h->to, &status, sizeof status, MSG_NOSIGNAL);
    close(h->to);
    h->to = -1;
}

_Noreturn static void be_host(struct host *h, const struct hd_children_command *c, char **env)
{
    setsid();
    hd_stray_adopt();
    signal(SIGINT, SIG_IGN); /* the debugger's business */
    control_others(h);
    int e = hd_children_start(&h->proc, c, env);
    if (e)
        send_news(h, 0, strerror(-e));
    s64 until = INT64_MAX;
    while (!e && hd_monotonic_ns() < until) {
        struct pollfd p[] = {{h->listener.fd, POLLIN, 0}, {h->proc.fd, POLLIN, 0},
                             {until == INT64_MAX ? h->program : -1, POLLIN, 0}};
        poll(p, HD_COUNT(p), POLL_MS);
        reply_all(h);
        hd_companions_step(&h->beside);
        if (hd_script_proc_poll(&h->proc)) {
            char how[96], text[340];
            hd_script_how(h->proc.status, how, sizeof how);
            snprintf(text, sizeof text, "the command %s before it started %.180s", how, h->of->meant->program);
            if (h->to < 0)
                send_news(h, 0, text);
            if (until < INT64_MAX || h->to < 0)
                break;
            poll(&(struct pollfd){h->program, POLLIN, 0}, 1, -1);
            break;
        }
        if (p[2].revents) {
            end_stand_in(h);
            until = hd_monotonic_ns() + AFTERWARDS_MS * 1000000ll;
        }
    }
    hd_script_proc_release(&h->proc);
    _exit(0);
}

/* ---- in the process that becomes the program ------------------------------------------------- */

/* The host is a grandchild that nobody waits for. */
static int start_host(struct host *h, const struct hd_children_command *c, char **env)
{
    int status, self = (int)getpid();
    h->program = (int)syscall(SYS_pidfd_open, self, 0);
    pid_t pid = h->program < 0 ? -1 : fork();
    if (pid < 0)
        return -errno;
    if (!pid) {
        pid_t host = fork();
        if (!host)
            be_host(h, c, env);
        _exit(host < 0);
    }
    waitpid(pid, &status, 0);
    return status ? -EAGAIN : 0;
}

/* NUL-separated strings of a file of /proc as a list; its memory is never given back. */
static char **strings_of(int pid, const char *file)
{
    char path[64], *text = NULL;
    size_t size = 0, n = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    FILE *from = fopen(path, "re"), *to = open_memstream(&text, &size);
    HD_ASSERT(to);
    for (int c; from && (c = getc(from)) != EOF;)
        putc(c, to);
    if (from)
        fclose(from);
    HD_ASSERT(!fclose(to));
    char **list = calloc(size + 1, sizeof *list);
    HD_ASSERT(list);
    for (size_t at = 0; at < size; at += strlen(text + at) + 1)
        list[n++] = text + at;
    return list;
}

static bool is_kept_by_exec(int pid, int fd)
{
    char path[64], line[128];
    unsigned flags = 0;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, fd);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "flags:", 6))
            flags = (unsigned)strtoul(line + 6, NULL, 8);
    if (f)
        fclose(f);
    return f && !(flags & O_CLOEXEC);
}

/* All of ours below HD_SHM_FD are replaced by those of process `pid`. */
static int take_descriptors(int pid)
{
    struct rlimit r;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), high = HD_LAST_FD + 1;
    if (pidfd < 0 || (pidfd = fcntl(pidfd, F_DUPFD_CLOEXEC, high)) < 0)
        return -errno;
    if (!getrlimit(RLIMIT_NOFILE, &r)) {
        r.rlim_cur = HD_MIN(r.rlim_max, (rlim_t)HIGHEST_FD);
        setrlimit(RLIMIT_NOFILE, &r);
    }
    for (int fd = 0; fd < HD_SHM_FD; fd++) {
        close(fd);
        if (!is_kept_by_exec(pid, fd))
            continue;
        int got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
        if (got < 0)
            return -errno;
        if (got != fd && (dup2(got, fd) < 0 || close(got)))
            return -errno;
        fcntl(fd, F_SETFD, 0);
    }
    return 0;
}

static void take_limits(int pid)
{
    struct rlimit r;
    for (u32 i = 0; i < RLIM_NLIMITS; i++)
        if (!prlimit(pid, (__rlimit_resource_t)i, NULL, &r))
            setrlimit((__rlimit_resource_t)i, &r);
}

static int take(struct hd_stand_in *in, int pid, struct hd_error *err)
{
    char cwd[64];
    snprintf(cwd, sizeof cwd, "/proc/%d/cwd", pid);
    in->argv = strings_of(pid, "cmdline");
    in->env = strings_of(pid, "environ");
    if (chdir(cwd) || !in->argv[0])
        return hd_error_set(err, -ESRCH, "what the command started is gone");
    take_limits(pid); /* before descriptors: the room for more is made there */
    int e = take_descriptors(pid);
    return e ? hd_error_set(err, e, "cannot take descriptors over: %s", strerror(-e)) : 0;
}

static char *text(const char *name, const char *value, const char *more)
{
    char *s;
    HD_ASSERT(asprintf(&s, "%s=%s%s", name, value, more) > 0);
    return s;
}

/* What watch.c makes before it begins a program again under control: the stack is to begin at the
 * same place. */
static char **controlled_env(char *const *was, char *const *argv, const char *path, const char *runtime)
{
    size_t n = 0, k = 0;
    const char *preload = hd_env_value(was, "LD_PRELOAD");
    bool is_tuned = hd_env_value(was, "GOMP_SPINCOUNT") || hd_env_value(was, "OMP_WAIT_POLICY");
    while (was[n])
        n++;
    char **env = calloc(n + 8, sizeof *env);
    HD_ASSERT(env);
    for (size_t i = 0; i < n; i++)
        if (strncmp(was[i], "LD_PRELOAD=", 11))
            env[k++] = was[i];
    const char *rest = preload ? strchr(preload, ':') : NULL; /* ours is the first */
    env[k++] = text("LD_PRELOAD", runtime, rest ? rest : "");
    env[k++] = text("HEDDLE_PRELOAD_WAS", preload ? preload : "", "");
    if (!is_tuned)
        env[k++] = text("GOMP_SPINCOUNT", "0", "");
    if (!hd_env_value(was, "LD_BIND_NOW"))
        env[k++] = text("LD_BIND_NOW", HD_BIND_NOW, "");
    env[k++] = text("HEDDLE_SHM", HD_SHM_FD_TEXT, "");
    env[k] = hd_env_padding(env, argv, path);
    HD_ASSERT(env[k]);
    return env;
}

int hd_children_take_place(struct hd_stand_in *in, const struct hd_children *of,
                           struct hd_children_command *c, struct hd_error *err)
{
    char name[HD_ASK_NAME];
    int news[2];
    struct news n = {0};
    struct host h = {.of = of, .to = -1, .status = in->status};
    if (hd_children_listen(&h.listener, name) || pipe2(news, O_CLOEXEC))
        return hd_error_set(err, -errno, "out of descriptors while starting");
    h.news = news[1];
    c->ask = name;
    char **env = hd_children_env(c, err);
    if (!env)
        return -ENOENT;
    int e = start_host(&h, c, env);
    hd_launch_env_free(env);
    close(news[1]);
    hd_children_listen_end(&h.listener);
    if (e)
        return hd_error_set(err, e, "cannot start a process: %s", strerror(-e));
    bool has_news = read(news[0], &n, sizeof n) == sizeof n;
    close(news[0]);
    if (!has_news || !n.pid)
        return hd_error_set(err, -ECHILD, "%s", has_news ? n.why : "the command could not be started");
    e = take(in, n.pid, err);
    if (!e)
        in->env = controlled_env(in->env, in->argv, of->meant->program, in->runtime);
    return e;
}
