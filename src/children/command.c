/* command.c: a command whose processes are asked for: started like any command of the user's,
 * with our small library (src/watch) in front of all programs it starts, and with fixed
 * addresses, which they inherit as well. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "children/children.h"
#include "event/shm.h"
#include "process/inherit.h"
#include "process/interrupt.h"
#include "process/worker.h"
#include "script/script.h"

int hd_children_input(int stdin_fd)
{
    char path[40] = "/dev/null";
    if (stdin_fd >= 0)
        snprintf(path, sizeof path, "/proc/self/fd/%d", stdin_fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* ---- environment --------------------------------------------------------------------------- */

static bool is_named(const char *var, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(var, name, n) && var[n] == '=';
}

static bool is_replaced(const struct hd_children_command *c, const char *var)
{
    static const char *const own[] = {"LD_PRELOAD", "HEDDLE_SHM", "HEDDLE_PRELOAD_WAS",
                                      "HEDDLE_PAD", HD_ASK_ENV, "ASAN_OPTIONS"};
    for (u32 i = 0; i < HD_COUNT(own); i++)
        if (is_named(var, own[i]))
            return true;
    for (char *const *e = c->more; e && *e; e++)
        if (!strncmp(*e, var, strcspn(var, "=") + 1))
            return true;
    return false;
}

static char *setting(const char *name, const char *value, const char *sep, const char *more)
{
    char *s;
    HD_ASSERT(asprintf(&s, "%s=%s%s%s", name, value, sep, more) > 0);
    return s;
}

char **hd_children_env(const struct hd_children_command *c, struct hd_error *err)
{
    char library[512];
    u32 n = 0, k = 0;
    if (hd_target_runtime(HD_WATCH_LIBRARY, library, sizeof library, err))
        return NULL;
    char **base = hd_inherit_env(c->inherited);
    HD_ASSERT(base);
    while (base[n])
        n++;
    for (char *const *e = c->more; e && *e; e++)
        n++;
    char **env = calloc(n + 4, sizeof *env);
    HD_ASSERT(env);
    for (char **e = base; *e; e++)
        if (!is_replaced(c, *e))
            HD_ASSERT(env[k++] = strdup(*e));
    for (char *const *e = c->more; e && *e; e++)
        HD_ASSERT(env[k++] = strdup(*e));
    const char *preload = hd_env_value(base, "LD_PRELOAD"), *asan = hd_env_value(base, "ASAN_OPTIONS");
    bool has = preload && *preload;
    env[k++] = setting("LD_PRELOAD", library, has ? ":" : "", has ? preload : "");
    env[k++] = setting(HD_ASK_ENV, c->ask, "", "");
    /* A program with AddressSanitizer insists on being first, and need not here. */
    env[k++] = setting("ASAN_OPTIONS", asan ? asan : "", asan && *asan ? ":" : "",
                       "verify_asan_link_order=0");
    free(base);
    return env;
}

/* ---- the process --------------------------------------------------------------------------- */

struct start {
    const struct hd_children_command *c;
    char **env;
};

static void become(void *self)
{
    const struct start *s = self;
    const struct hd_children_command *c = s->c;
    int now = personality(0xffffffff);
    if (now >= 0)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
    hd_signals_default();
    hd_inherit_limits(c->inherited);
    struct rlimit core;
    if (!getrlimit(RLIMIT_CORE, &core)) { /* thousands of crashes are expected */
        core.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &core);
    }
    if (dup2(c->in, 0) < 0 || dup2(c->out, 1) < 0 || dup2(c->err, 2) < 0)
        _exit(126);
    hd_inherit_apply(c->inherited);
    syscall(SYS_close_range, HD_SHM_FD, ~0u, 0);
    if (c->cwd && chdir(c->cwd)) {
        dprintf(2, "cannot enter %s: %s\n", c->cwd, strerror(errno));
        _exit(126);
    }
    execvpe(c->argv[0], c->argv, s->env);
    dprintf(2, "cannot run %s: %s\n", c->argv[0], strerror(errno));
    _exit(127);
}

int hd_children_start(struct hd_script_proc *p, const struct hd_children_command *c, char **env)
{
    struct start s = {c, env};
    return hd_script_proc_become(p, become, &s);
}
