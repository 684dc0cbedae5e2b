/* attach.c: a worker gets what its scripted runs need: a port, a folder, the
 * program's arguments and environment. See script.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "script/state.h"

#define PREFIX "heddle-"
#define FOLDER "tmp" /* the one for the program, beside the mark of ours */

/* The folder of the recorded run, if it can be had: then even its name is the same. */
static int make_same(struct hd_tmp *t, const char *base, const char *recorded)
{
    char path[PATH_MAX];
    const char *slash = strrchr(recorded, '/');
    if (!slash || strcmp(slash + 1, FOLDER) || slash - recorded >= (s64)sizeof path)
        return -EINVAL;
    snprintf(path, sizeof path, "%.*s", (int)(slash - recorded), recorded);
    return hd_tmp_make_at(t, base, PREFIX, path);
}

static int make_tmp(struct hd_script_run *r, const struct hd_script_again *again,
                    struct hd_error *err)
{
    char base[PATH_MAX];
    int e = hd_tmp_base(base);
    if (!e && (!again || make_same(&r->own, base, again->tmp)))
        e = hd_tmp_make(&r->own, base, PREFIX);
    if (!e)
        e = hd_tmp_folder(&r->own, FOLDER);
    if (e) {
        return hd_error_set(err, e,
                            "cannot make a folder in %s for the script: %s (TMPDIR names another "
                            "place)",
                            base, strerror(-e));
    }
    HD_ASSERT(asprintf(&r->tmp, "%s/" FOLDER, r->own.path) > 0);
    r->vars.tmp = r->tmp;
    return 0;
}

/* `text` with another folder where the recorded one is named. */
static char *moved(const char *text, const char *from, const char *to)
{
    char *out = NULL;
    size_t n = 0, len = strlen(from);
    FILE *f = open_memstream(&out, &n);
    HD_ASSERT(f);
    for (const char *at; len && (at = strstr(text, from)); text = at + len)
        fprintf(f, "%.*s%s", (int)(at - text), text, to);
    fputs(text, f);
    HD_ASSERT(!fclose(f));
    return out;
}

/* The recorded arguments, with the folder that could be had. */
static void move_argv(struct hd_script_run *r, char *const *argv, const char *from)
{
    u32 n = 0;
    while (argv[n])
        n++;
    r->argv = calloc(n + 1, sizeof *r->argv);
    HD_ASSERT(r->argv);
    for (u32 i = 0; i < n; i++)
        r->argv[i] = moved(argv[i], from, r->tmp);
}

int hd_script_clean(struct hd_script_run *r) { return hd_tmp_folder(&r->own, FOLDER); }

void hd_script_hand_on(const struct hd_worker *w)
{
    if (w->script)
        hd_tmp_hand_on(&w->script->own);
}

static int take_port(struct hd_script_run *r, const struct hd_script_again *again, u32 index,
                     struct hd_error *err)
{
    r->vars.port = again ? again->port : hd_script_free_port(index);
    if (r->vars.port && (!again || hd_script_is_port_free(again->port)))
        return 0;
    if (again)
        return hd_error_set(err, -EADDRINUSE,
                            "TCP port %u, which the recorded run used, is in use now", again->port);
    return hd_error_set(err, -EADDRINUSE, "there is no free TCP port from 20000 to 31999");
}

static char *expand(const struct hd_script_run *r, const char *text, struct hd_error *err)
{
    return hd_script_expand(text, &r->vars, false, err);
}

static int make_argv(struct hd_script_run *r, struct hd_error *err)
{
    size_t n = r->in->argv.n;
    r->argv = calloc(n + 1, sizeof *r->argv);
    HD_ASSERT(r->argv);
    for (size_t i = 0; i < n; i++)
        if (!(r->argv[i] = expand(r, r->in->argv.at[i], err)))
            return -EINVAL;
    return 0;
}

static int make_env(struct hd_script_run *r, struct hd_error *err)
{
    const struct hd_script_file *s = r->in->script;
    size_t n = 0;
    r->env = calloc(s->env.n + 4, sizeof *r->env);
    HD_ASSERT(r->env);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_PORT=%u", r->vars.port) > 0);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_TMP=%s", r->vars.tmp) > 0);
    HD_ASSERT(asprintf(&r->env[n++], "HEDDLE_INPUT=%s", r->vars.input) > 0);
    for (size_t i = 0; i < s->env.n; i++)
        if (!(r->env[n++] = expand(r, s->env.at[i], err)))
            return -EINVAL;
    return 0;
}

static int make_ready(struct hd_script_run *r, struct hd_error *err)
{
    const struct hd_script_ready *d = &r->in->script->ready;
    if (!d->what || d->kind == HD_READY_OUTPUT)
        return 0;
    char *what = expand(r, d->what, err);
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

int hd_script_attach(struct hd_worker *w, struct hd_launch *l, struct hd_error *err)
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
        hd_error_set(err, e, "out of descriptors");
    if (!e)
        e = take_port(r, l->script_again, l->index, err);
    if (!e)
        e = make_tmp(r, l->script_again, err);
    HD_ASSERT(e || r->tmp);
    if (!e && !l->script_again)
        e = make_argv(r, err);
    else if (!e && strcmp(r->tmp, l->script_again->tmp))
        move_argv(r, l->argv, l->script_again->tmp);
    if (!e)
        e = make_env(r, err);
    if (!e)
        e = make_ready(r, err);
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
    hd_tmp_remove(&r->own);
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
