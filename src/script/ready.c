/* ready.c: is the server ready? A connection made only to find out would be
 * one more thing for the server to handle, at a time that varies: the kernel's
 * own tables say the same and nobody notices. See script.h. */
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "script/state.h"

#define TCP_LISTEN 0x0a
#define SO_ACCEPTCON_FLAG 0x10000
#define MAX_LINE 65536
#define AGAIN_NS 50000000ll /* between two tries of a command */

/* Calls `is` for each line of a table until it says yes. */
static bool any_line(const char *path, bool (*is)(const char *line, const void *arg),
                     const void *arg)
{
    char *line = NULL;
    size_t cap = 0;
    bool found = false;
    FILE *f = fopen(path, "re");
    while (f && !found && getline(&line, &cap, f) >= 0)
        found = is(line, arg);
    free(line);
    if (f)
        fclose(f);
    return found;
}

/* "  0: 0100007F:1F90 00000000:0000 0A ..." */
static bool is_listening(const char *line, const void *arg)
{
    unsigned port, state;
    const char *p = strchr(line, ':'); /* behind the number */
    p = p ? strchr(p + 1, ':') : NULL; /* behind the address */
    return p && sscanf(p + 1, "%x %*s %x", &port, &state) == 2 && state == TCP_LISTEN &&
           port == *(const u32 *)arg;
}

/* Sockets that listen, asked for by netlink: /proc/net/tcp goes through all
 * connections there are as well, which takes ten milliseconds and more. 1, 0, or
 * -1 = this kernel does not tell. */
static int ask_diag(int fd, u8 family, u32 port)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 body;
    } ask = {.head = {sizeof ask, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 0, 0},
             .body = {.sdiag_family = family,
                      .sdiag_protocol = IPPROTO_TCP,
                      .idiag_states = 1u << TCP_LISTEN}};
    _Alignas(struct nlmsghdr) char buf[16384];
    int found = 0;
    if (send(fd, &ask, sizeof ask, 0) != sizeof ask)
        return -1;
    for (;;) {
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n <= 0)
            return -1;
        for (struct nlmsghdr *h = (void *)buf; NLMSG_OK(h, (size_t)n); h = NLMSG_NEXT(h, n)) {
            if (h->nlmsg_type == NLMSG_DONE)
                return found;
            if (h->nlmsg_type == NLMSG_ERROR)
                return -1;
            const struct inet_diag_msg *m = NLMSG_DATA(h);
            found |= ntohs(m->id.idiag_sport) == port;
        }
    }
}

bool hd_script_tcp_listens(u32 port)
{
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG), is = -1;
    if (fd >= 0) {
        is = ask_diag(fd, AF_INET, port);
        if (is == 0)
            is = ask_diag(fd, AF_INET6, port);
        close(fd);
    }
    if (is >= 0)
        return is;
    return any_line("/proc/net/tcp", is_listening, &port) ||
           any_line("/proc/net/tcp6", is_listening, &port);
}

/* "0000000000000000: 00000002 00000000 00010000 0001 01 20017 /run/x.sock": the
 * path as the server gave it, which may be relative to its folder. */
static bool is_unix(const char *line, const void *arg)
{
    unsigned flags;
    char bound[512];
    const char *path = arg;
    if (sscanf(line, "%*x: %*x %*x %x %*x %*x %*u %511[^\n]", &flags, bound) != 2 ||
        !(flags & SO_ACCEPTCON_FLAG))
        return false;
    if (!strcmp(bound, path))
        return true;
    const char *tail = bound + (strncmp(bound, "./", 2) ? 0 : 2);
    size_t n = strlen(path), k = strlen(tail);
    return tail[0] != '/' && tail[0] != '@' && k < n && path[n - k - 1] == '/' &&
           !strcmp(path + n - k, tail);
}

bool hd_script_unix_listens(const char *path) { return any_line("/proc/net/unix", is_unix, path); }

static bool matches(const regex_t *pattern, int fd)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) || !st.st_size)
        return false;
    size_t n = (size_t)HD_MIN(st.st_size, (off_t)MAX_LINE);
    const char *text = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, 0);
    if (text == MAP_FAILED)
        return false;
    char *copy = strndup(text, n);
    munmap((void *)text, n);
    HD_ASSERT(copy);
    bool is = !regexec(pattern, copy, 0, NULL, 0);
    free(copy);
    return is;
}

bool hd_script_output_matches(const regex_t *pattern, int out, int err)
{
    return matches(pattern, out) || matches(pattern, err);
}

/* ---- a run's program
 * ------------------------------------------------------------------------------ */

bool hd_script_is_there(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_ready *d = &r->in->script->ready;
    switch (d->kind) {
    case HD_READY_TCP:
        return hd_script_tcp_listens((u32)atoi(r->ready));
    case HD_READY_UNIX:
        return hd_script_unix_listens(r->ready);
    case HD_READY_FILE:
        return !access(r->ready, F_OK);
    case HD_READY_OUTPUT:
        return hd_script_output_matches(&d->pattern, w->out_fd, w->err_fd);
    default:
        return false;
    }
}

bool hd_script_is_ready(struct hd_worker *w, s64 now)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_ready *d = &r->in->script->ready;
    if (d->kind != HD_READY_COMMAND)
        return d->kind == HD_READY_NONE || hd_script_is_there(w);
    if (!r->one.pid && now >= r->again_ns)
        hd_script_start(w, &r->one, &d->phase.command[0]);
    if (!r->one.pid || !hd_script_proc_poll(&r->one))
        return false;
    bool is = hd_script_is_fine(&d->phase, r->one.status);
    hd_script_proc_end(&r->one);
    r->again_ns = now + AGAIN_NS;
    return is;
}

static void what_is_missing(const struct hd_script_run *r, char *buf, size_t size)
{
    static const char *const text[] = {[HD_READY_TCP] = "nobody listens on TCP port %s",
                                       [HD_READY_UNIX] = "nobody listens on the socket %s",
                                       [HD_READY_FILE] = "there is no file %s",
                                       [HD_READY_OUTPUT] = "no line of its output matches '%s'",
                                       [HD_READY_COMMAND] = "`%s` did not succeed"};
    const struct hd_script_ready *d = &r->in->script->ready;
    const char *what = d->kind == HD_READY_COMMAND ? d->phase.command[0].text
                       : r->ready                  ? r->ready
                                                   : d->what;
    snprintf(buf, size, text[d->kind], what); /* NOLINT: one of the above */
}

void hd_script_not_ready(struct hd_worker *w, bool is_gone)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_ready *d = &r->in->script->ready;
    char missing[256], words[HD_SCRIPT_WORDS], how[96] = "", printed[16] = "";
    hd_script_last_words(w->err_fd, words, sizeof words);
    if (!words[0])
        hd_script_last_words(w->out_fd, words, sizeof words);
    what_is_missing(r, missing, sizeof missing);
    snprintf(printed, sizeof printed, "%s", words[0] ? "" : "nothing");
    if (is_gone)
        hd_script_how(w->run.verdict.status, how, sizeof how);
    if (r->was_ready && is_gone)
        hd_script_fail(r, HD_V_CHECK, "The program %s before it was ready\n%s", how, words);
    else if (r->was_ready)
        hd_script_fail(r, hd_script_late_kind(w), "The program was not ready after %g s\n%s; it printed: %s%s",
                       HD_SECONDS(d->phase.timeout_ms), missing, words, printed);
    else if (is_gone)
        hd_script_fail(r, HD_V_ENV,
                       "%s:%u: the program %s before it was ready (%.150s); it printed: %s%s",
                       r->in->script->path, d->phase.line, how, missing, words, printed);
    else
        hd_script_fail(r, HD_V_ENV,
                       "%s:%u: the program was never ready in %g s: %.150s; it printed: %s%s",
                       r->in->script->path, d->phase.line, HD_SECONDS(d->phase.timeout_ms), missing,
                       words, printed);
}

bool hd_script_is_taken(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    const struct hd_script_ready *d = &r->in->script->ready;
    if ((d->kind != HD_READY_TCP && d->kind != HD_READY_UNIX && d->kind != HD_READY_FILE) ||
        !hd_script_is_there(w))
        return false;
    hd_script_fail(
        r, HD_V_ENV,
        d->kind == HD_READY_TCP ? "%s:%u: another process listens on TCP port %s"
        : d->kind == HD_READY_UNIX
            ? "%s:%u: another process listens on the socket %s"
            : "%s:%u: the file %s exists before the program has started: remove it in [setup]",
        r->in->script->path, d->phase.line, r->ready);
    return true;
}
