/* seen.c: one run of a command in which nothing is controlled: which programs it starts, which of
 * them are instrumented and make threads. Those with ThreadSanitizer get Heddle's library, which
 * stays passive, so that the run is as those to come, and its reports are no failures.
 *
 * Every program that the loader starts tells of itself (src/watch). What the loader does not
 * start, or starts without our library, is found by looking at the processes now and then. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stop.h"
#include "children/children.h"
#include "process/inherit.h"
#include "process/interrupt.h"
#include "process/stray.h"
#include "script/script.h"
#include "symbol/elf.h"

#define POLL_MS 5    /* between two scans of the processes */
#define DEPTH 32     /* of processes below the command */
#define SEEN_MAX 4096

/* ---- looking a process up, describing it ------------------------------------------------- */

static struct hd_child_seen *by_pid(struct hd_children_seen *s, int pid)
{
    for (size_t i = s->at.n; i-- > 0;)
        if (s->at.at[i].pid == pid)
            return &s->at.at[i];
    return NULL;
}

static char *joined(const char *args, u32 n)
{
    char *to = malloc((size_t)n + 1);
    HD_ASSERT(to);
    memcpy(to, args, n);
    to[n] = '\0';
    while (n && !to[n - 1])
        n--;
    for (u32 i = 0; i < n; i++)
        if ((u8)to[i] < ' ' || to[i] == 127)
            to[i] = ' ';
    return to;
}

static struct hd_child_seen *add(struct hd_children_seen *s, int pid, const char *exe,
                                 const char *args, u32 n_args)
{
    if (s->at.n == SEEN_MAX)
        return NULL;
    struct hd_child_seen *c = hd_vec_add(&s->at);
    *c = (struct hd_child_seen){.pid = pid, .parent = hd_stray_parent(pid), .exe = strdup(exe),
                                .args = joined(args, n_args), .times = 1};
    HD_ASSERT(c->exe);
    return c;
}

/* One that may be tested comes: who of these is there? */
static void note_together(struct hd_children_seen *s, struct hd_child_seen *now,
                          const struct hd_process *who)
{
    u32 n = 0;
    for (size_t i = 0; i < s->at.n; i++) {
        const struct hd_child_seen *c = &s->at.at[i];
        n = HD_MAX(n, c->number);
        if (c->number && c != now && c->pid != now->pid && !kill(c->pid, 0)) {
            __auto_type pair = hd_vec_add(&s->together);
            pair->a = c->number;
            pair->b = now->number;
        }
    }
    now->number = n + 1;
    now->who = *who;
    for (size_t i = s->together.n; i-- > 0 && !s->together.at[i].b;)
        s->together.at[i].b = now->number;
}

/* A pid that has begun another program since: a shell that became it. */
static void take(struct hd_children_seen *s, struct hd_arrivals *arrivals, int pid, const struct hd_ask *a)
{
    struct hd_process who;
    bool is_counted = hd_arrivals_add(arrivals, a, &who);
    struct hd_child_seen *c = a->kind == HD_ASK_THREADS ? by_pid(s, pid) : NULL;
    if (!c || strcmp(c->exe, a->exe))
        c = add(s, pid, a->exe, a->args, a->n_args);
    if (!c)
        return;
    c->is_instrumented |= a->library[0] != '\0';
    c->is_forked = a->kind == HD_ASK_THREADS && a->is_forked;
    c->has_threads |= a->kind == HD_ASK_THREADS;
    if (is_counted && c->is_instrumented)
        note_together(s, c, &who);
}

static void reply(struct hd_children_seen *s, struct hd_arrivals *arrivals, struct hd_listener *l)
{
    struct hd_ask a;
    char runtime[512];
    int pid, to;
    while (hd_children_asked(l, &a, &pid, &to)) {
        runtime[0] = '\0';
        if (a.library[0] && a.kind == HD_ASK_START)
            hd_children_runtime(&a, runtime, sizeof runtime);
        hd_children_reply(to, runtime[0] ? HD_REPLY_PASSIVE : HD_REPLY_FREE, runtime, NULL);
        take(s, arrivals, pid, &a);
    }
}

/* ---- what does not tell ------------------------------------------------------------------ */

/* Why our library is not in it; NULL = it may well be. */
static const char *obstacle(const char *exe)
{
    struct stat st;
    struct hd_elf e;
    if (stat(exe, &st))
        return NULL;
    if (st.st_mode & (S_ISUID | S_ISGID))
        return "setuid or setgid";
    if (hd_elf_open(&e, exe))
        return NULL;
    enum hd_elf_kind kind = hd_elf_kind(&e);
    hd_elf_close(&e);
    return kind == HD_ELF_32 ? "32-bit" : kind == HD_ELF_STATIC ? "statically linked" : NULL;
}

static void inspect(struct hd_children_seen *s, int pid)
{
    char path[64], exe[512], args[1024];
    snprintf(path, sizeof path, "/proc/%d/exe", pid);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    if (n <= 0)
        return;
    exe[n] = '\0';
    const struct hd_child_seen *c = by_pid(s, pid);
    if (c && !strcmp(c->exe, exe))
        return;
    const char *why = obstacle(exe);
    if (!why)
        return;
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? 0 : read(fd, args, sizeof args);
    if (fd >= 0)
        close(fd);
    struct hd_child_seen *made = add(s, pid, exe, args, n > 0 ? (u32)n : 0);
    if (made)
        made->why = why;
}

static void scan_below(struct hd_children_seen *s, int pid, u32 depth)
{
    char path[64], list[4096];
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
    if (fd >= 0)
        close(fd);
    list[n > 0 ? n : 0] = '\0';
    for (char *p = list, *end; depth && *p; p = end) {
        long child = strtol(p, &end, 10);
        if (end == p)
            break;
        inspect(s, (int)child);
        scan_below(s, (int)child, depth - 1);
    }
}

/* ---- the run ------------------------------------------------------------------------------- */

/* The command has ended. If nothing was there to be tested, something that it left behind may be
 * yet to ask. */
static bool is_yet_to_come(const struct hd_children_seen *s, const struct hd_script_proc *p,
                           s64 *over_ns)
{
    s64 now = hd_monotonic_ns();
    if (!*over_ns)
        *over_ns = now;
    for (size_t i = 0; i < s->at.n; i++)
        if (s->at.at[i].has_threads)
            return false;
    return now < *over_ns + HD_CHILDREN_COME_NS && hd_stray_has_child(p->pid);
}

static int watch(struct hd_children_seen *s, struct hd_arrivals *arrivals, struct hd_script_proc *p,
                 struct hd_listener *l, u32 timeout_ms, struct hd_error *err)
{
    s64 until = hd_monotonic_ns() + (s64)timeout_ms * 1000000, over_ns = 0;
    while (!hd_script_proc_poll(p) || is_yet_to_come(s, p, &over_ns)) {
        struct pollfd fds[] = {{l->fd, POLLIN, 0}, {p->fd, POLLIN, 0}};
        poll(fds, HD_COUNT(fds), POLL_MS);
        reply(s, arrivals, l);
        scan_below(s, p->pid, DEPTH);
        if (hd_interrupt_count())
            return hd_error_set(err, -EINTR, "interrupted while the command was watched");
        if (hd_monotonic_ns() > until) {
            s->is_late = true;
            break;
        }
    }
    reply(s, arrivals, l);
    return 0;
}

static struct hd_child_program *program(struct hd_children_seen *s, const char *exe, bool is_forked)
{
    for (size_t i = 0; i < s->program.n; i++)
        if (!strcmp(s->program.at[i].exe, exe) && s->program.at[i].is_forked == is_forked)
            return &s->program.at[i];
    struct hd_child_program *p = hd_vec_add(&s->program);
    *p = (struct hd_child_program){.exe = strdup(exe), .is_forked = is_forked};
    HD_ASSERT(p->exe);
    return p;
}

static bool has_threads(const struct hd_children_seen *s, u32 number)
{
    for (size_t i = 0; i < s->at.n; i++)
        if (s->at.at[i].number == number)
            return s->at.at[i].has_threads;
    return false;
}

static bool is_together(const struct hd_children_seen *s, u32 number)
{
    for (size_t i = 0; i < s->together.n; i++) {
        u32 a = s->together.at[i].a, b = s->together.at[i].b;
        if ((a == number && has_threads(s, b)) || (b == number && has_threads(s, a)))
            return true;
    }
    return false;
}

static void count(struct hd_children_seen *s)
{
    for (size_t i = 0; i < s->at.n; i++) {
        const struct hd_child_seen *c = &s->at.at[i];
        if (!c->is_instrumented)
            continue;
        struct hd_child_program *p = program(s, c->exe, c->is_forked);
        p->n++;
        if (!c->has_threads)
            continue;
        struct hd_process *who = hd_vec_add(&p->threaded);
        *who = c->who;
        who->program = p->exe;
        who->is_together = is_together(s, c->number);
    }
}

/* Processes of the same program and arguments become one row. */
static void merge(struct hd_children_seen *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->at.n; i++) {
        struct hd_child_seen *c = &s->at.at[i], *same = NULL;
        for (size_t k = 0; k < n && !same; k++) {
            struct hd_child_seen *o = &s->at.at[k];
            if (!strcmp(o->exe, c->exe) && !strcmp(o->args, c->args) &&
                o->is_forked == c->is_forked && o->has_threads == c->has_threads)
                same = o;
        }
        if (same) {
            same->times++;
            free(c->exe);
            free(c->args);
        } else {
            s->at.at[n++] = *c;
        }
    }
    s->at.n = n;
}

int hd_children_survey(struct hd_children_seen *s, char *const *argv, int stdin_fd, u32 timeout_ms,
                     struct hd_error *err)
{
    char name[HD_ASK_NAME + 1] = {HD_ASK_ALL};
    struct hd_script_proc p = {0};
    struct hd_arrivals arrivals = {0};
    memset(s, 0, sizeof *s);
    struct hd_listener l;
    bool is_listening = !hd_children_listen(&l, name + 1);
    struct hd_children_command c = {.argv = argv, .inherited = hd_inherit_caller(), .ask = name,
                                    .in = hd_children_input(stdin_fd),
                                    .out = memfd_create("heddle-stdout", MFD_CLOEXEC),
                                    .err = memfd_create("heddle-stderr", MFD_CLOEXEC)};
    int e = !is_listening || c.in < 0 || c.out < 0 || c.err < 0
                ? hd_error_set(err, -EMFILE, "out of descriptors while starting") : 0;
    char **env = e ? NULL : hd_children_env(&c, err);
    if (!e && !env)
        e = -ENOENT;
    s64 began = hd_monotonic_ns();
    if (!e) {
        e = hd_children_start(&p, &c, env);
        if (e)
            hd_error_set(err, e, "cannot start a process: %s", strerror(-e));
    }
    if (!e)
        e = watch(s, &arrivals, &p, &l, timeout_ms, err);
    s->status = p.status;
    s->seconds = (double)(hd_monotonic_ns() - began) / 1e9;
    hd_script_proc_release(&p);
    hd_script_last_words(c.err, s->last_words, sizeof s->last_words);
    if (!s->last_words[0])
        hd_script_last_words(c.out, s->last_words, sizeof s->last_words);
    hd_children_listen_end(&l);
    int *fd[] = {&c.in, &c.out, &c.err};
    for (u32 i = 0; i < HD_COUNT(fd); i++)
        if (*fd[i] >= 0)
            close(*fd[i]);
    hd_launch_env_free(env);
    hd_arrivals_release(&arrivals);
    count(s);
    merge(s);
    return e;
}

void hd_children_seen_release(struct hd_children_seen *s)
{
    for (size_t i = 0; i < s->at.n; i++) {
        free(s->at.at[i].exe);
        free(s->at.at[i].args);
    }
    for (size_t i = 0; i < s->program.n; i++) {
        free(s->program.at[i].exe);
        hd_vec_release(&s->program.at[i].threaded);
    }
    hd_vec_release(&s->program);
    hd_vec_release(&s->together);
    hd_vec_release(&s->at);
}
