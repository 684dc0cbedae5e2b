/* setup.c: --setup and --cleanup: what a run leaves behind (a file it creates, a socket,
 * a table) is put back before the next one, so that all runs begin the same way. See command.h.
 */
#include "process/command.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool hd_around_is_empty(const struct hd_around *a) { return !a->setup && !a->cleanup; }

int hd_around_beside(struct hd_around *a, const char *replay_file, struct hd_error *err)
{
    static const char *const name[] = {HD_AROUND_SETUP, HD_AROUND_CLEANUP};
    const char **what[] = {&a->setup, &a->cleanup};
    char copy[PATH_MAX], path[PATH_MAX + 64];
    snprintf(copy, sizeof copy, "%s", replay_file);
    const char *dir = dirname(copy);
    for (u32 i = 0; i < HD_COUNT(name); i++) {
        size_t n;
        if (*what[i])
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, name[i]);
        int e = hd_read_file(path, &a->own[i], &n);
        if (e && e != -ENOENT) {
            return hd_error_set(err, e, "cannot read %s: %s", path, strerror(-e));
        }
        if (!e)
            *what[i] = a->own[i];
    }
    return 0;
}

void hd_around_release(struct hd_around *a)
{
    free(a->own[0]);
    free(a->own[1]);
    memset(a, 0, sizeof *a);
}

/* False: it failed, the verdict says how. */
static bool run(struct hd_worker *w, const char *phase, const char *text)
{
    struct hd_verdict *v = &w->run.verdict;
    char words[HD_COMMAND_WORDS], how[96];
    u32 timeout_ms = w->around->timeout_ms;
    int status = hd_command_run(w, text, w->how.cwd, timeout_ms, words);
    if (status == 0 || status == HD_COMMAND_CUT)
        return status == 0;
    hd_command_how(status, timeout_ms, how, sizeof how);
    if (v->kind != HD_V_NONE && v->kind != HD_V_CLEAN)
        return false; /* a failure of the program counts for more */
    memset(v, 0, sizeof *v);
    v->kind = HD_V_ENV;
    snprintf(v->msg, sizeof v->msg, "the %s `%.80s` %.80s%s%.250s", phase, text, how,
             words[0] ? ": " : "", words);
    w->is_check_bad = true;
    return false;
}

bool hd_around_begin(struct hd_worker *w)
{
    w->is_set_up = true;
    return !w->around->setup || run(w, "setup", w->around->setup);
}

void hd_around_end(struct hd_worker *w)
{
    if (!w->is_set_up || !w->around || !w->host)
        return;
    w->is_set_up = false;
    if (w->around->cleanup)
        run(w, "cleanup", w->around->cleanup);
}
