/* script_attach.c: a worker gets what its scripted runs need: a port, a folder, the
 * program's arguments and environment. See script.h. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign/script_state.h"

static int remove_all(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    remove(path);
    return 0;
}

static int make_tmp(struct hd_script_run *r, const struct hd_script_again *again, u32 index,
                    char *err, size_t size)
{
    const char *base = getenv("TMPDIR");
    char path[PATH_MAX];
    if (again) {
        r->tmp = strdup(again->tmp);
    } else {
        snprintf(path, sizeof path, "%s/heddle-%d-%u", base && *base ? base : "/tmp", (int)getpid(),
                 index);
        r->tmp = strdup(path);
    }
    HD_ASSERT(r->tmp);
    r->vars.tmp = r->tmp;
    if (!mkdir(r->tmp, 0700))
        return 0;
    int e = -errno;
    struct stat st; /* a replay under gdb leaves it, for whoever drives the program by hand */
    if (again && !lstat(r->tmp, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid())
        return 0;
    snprintf(err, size, "cannot make the folder %s for the script: %s", r->tmp, strerror(-e));
    free(r->tmp);
    r->tmp = NULL; /* not ours to remove */
    return e;
}

static int take_port(struct hd_script_run *r, const struct hd_script_again *again, u32 index,
                     char *err, size_t size)
{
    r->vars.port = again ? again->port : hd_script_free_port(index);
    if (r->vars.port && (!again || hd_script_is_port_free(again->port)))
        return 0;
    if (again)
        snprintf(err, size, "TCP port %u, which the recorded run used, is in use now", again->port);
    else
        snprintf(err, size, "there is no free TCP port from 20000 to 31999");
    return -EADDRINUSE;
}

static char *expand(const struct hd_script_run *r, const char *text, char *err, size_t size)
{
    return hd_script_expand(text, &r->vars, false, err, size);
}

static int make_argv(struct hd_script_run *r, char *err, size_t size)
{
    size_t n = r->in->argv.n;
    r->argv = calloc(n + 1, sizeof *r->argv);
    HD_ASSERT(r->argv);
    for (size_t i = 0; i < n; i++)
        if (!(r->argv[i] = expand(r, r->in->argv.at[i], err, size)))
            return -EINVAL;
    return 0;
}

static int make_env(struct hd_script_run *r, char *err, size_t size)
{
    const struct hd_script_file *s = r->in->script;
    size_t n = 0;
    r->env = calloc(s->env.n + 4, sizeof *r->env);
    HD_ASSERT(r->env);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_PORT=%u", r->vars.port) > 0);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_TMP=%s", r->vars.tmp) > 0);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_INPUT=%s", r->vars.input) > 0);
    for (size_t i = 0; i < s->env.n; i++)
        if (!(r->env[n++] = expand(r, s->env.at[i], err, size)))
            return -EINVAL;
    return 0;
}

static int make_ready(struct hd_script_run *r, char *err, size_t size)
{
    const struct hd_script_ready *d = &r->in->script->ready;
    if (!d->what || d->kind == HD_READY_OUTPUT)
        return 0;
    char *what = expand(r, d->what, err, size);
    if (!what)
        return -EINVAL;
    if (d->kind != HD_READY_TCP && *what != '/') {
        HD_ASSERT(asprintf(&r->ready, "%s/%s", r->in->script->cwd, what) > 0);
        free(what);
    } else {
        r->ready = what;
    }
    return 0;
}

int hd_script_attach(struct hd_worker *w, struct hd_launch *l, char *err, size_t size)
{
    struct hd_script_run *r = calloc(1, sizeof *r);
    HD_ASSERT(r);
    w->script = r;
    r->in = l->script;
    r->vars.worker = l->index;
    r->vars.input = r->in->name;
    r->was_ready = l->script_again != NULL; /* it was when the run was recorded */
    r->drive = calloc(r->in->drive.n ? r->in->drive.n : 1, sizeof *r->drive);
    HD_ASSERT(r->drive);
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    int e = r->epoll < 0 ? -errno : 0;
    if (e)
        snprintf(err, size, "out of descriptors");
    if (!e)
        e = take_port(r, l->script_again, l->index, err, size);
    if (!e)
        e = make_tmp(r, l->script_again, l->index, err, size);
    if (!e && !l->script_again)
        e = make_argv(r, err, size);
    if (!e)
        e = make_env(r, err, size);
    if (!e)
        e = make_ready(r, err, size);
    if (e)
        return e;
    if (r->argv)
        l->argv = r->argv;
    l->env = r->env;
    l->cwd = r->in->script->cwd;
    w->argv = l->argv;
    return 0;
}

void hd_script_detach(struct hd_worker *w)
{
    struct hd_script_run *r = w->script;
    if (!r)
        return;
    hd_script_abort(w);
    hd_script_proc_release(&r->setup);
    hd_script_proc_release(&r->one);
    for (u32 i = 0; i < r->in->drive.n; i++)
        hd_script_proc_release(&r->drive[i]);
    free(r->drive);
    if (r->epoll >= 0)
        close(r->epoll);
    if (r->tmp)
        nftw(r->tmp, remove_all, 16, FTW_DEPTH | FTW_PHYS);
    for (char **p = r->argv; p && *p; p++)
        free(*p);
    for (char **p = r->env; p && *p; p++)
        free(*p);
    free(r->argv);
    free(r->env);
    free(r->tmp);
    free(r->ready);
    hd_vec_release(&r->log);
    free(r);
    w->script = NULL;
    w->argv = NULL;
}
