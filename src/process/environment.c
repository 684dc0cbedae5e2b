/* environment.c: the environment of the target: the caller's or the recorded one, without
 * what belongs to heddle itself, with our library in front, padded so that the stack begins
 * at the same place whatever the shell exports. */
#include "process/worker.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/ask.h"
#include "process/inherit.h"

static bool is_own(const char *var)
{
    static const char *const own[] = {"LD_PRELOAD", "HEDDLE_SHM", "HEDDLE_PRELOAD_WAS",
                                      "HEDDLE_PAD", HD_ASK_ENV};
    size_t name = strcspn(var, "=");
    for (u32 i = 0; i < HD_COUNT(own); i++)
        if (var[name] && strlen(own[i]) == name && !memcmp(var, own[i], name))
            return true;
    return false;
}

/* Is it given anew by l->env? */
static bool is_replaced(const struct hd_launch *l, const char *var)
{
    size_t name = strcspn(var, "=") + 1;
    for (char *const *e = l->env; e && *e; e++)
        if (!strncmp(*e, var, name))
            return true;
    return false;
}

/* Bytes the kernel will put on the new stack for these strings. */
static size_t stack_bytes(char *const *list)
{
    size_t n = 0;
    for (; *list; list++)
        n += strlen(*list) + 1 + sizeof(char *);
    return n;
}

char *hd_env_padding(char *const *env, char *const *argv, const char *path)
{
    static const char name[] = "HEDDLE_PAD=";
    size_t used = stack_bytes(env) + stack_bytes(argv) + strlen(path) + 1 + sizeof name + sizeof(char *);
    size_t pad = (HD_STACK_UNIT - used % HD_STACK_UNIT) % HD_STACK_UNIT;
    char *s = malloc(sizeof name + pad);
    if (s) {
        memcpy(s, name, sizeof name - 1);
        memset(s + sizeof name - 1, '.', pad);
        s[sizeof name - 1 + pad] = '\0';
    }
    return s;
}

static char *joined(const char *a, const char *b, const char *c, const char *d)
{
    size_t n = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *s = malloc(n);
    if (s)
        snprintf(s, n, "%s%s%s%s", a, b, c, d);
    return s;
}

const char *hd_env_value(char *const *env, const char *name)
{
    size_t n = strlen(name);
    for (; *env; env++)
        if (!strncmp(*env, name, n) && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

/* heddle itself may run below a command that another heddle tests: the library of that one is
 * first in the list, and no business of our target's. */
static const char *without_watch(const char *preload)
{
    size_t own = strlen("/" HD_WATCH_LIBRARY), n = preload ? strcspn(preload, ":") : 0;
    if (n < own || strncmp(preload + n - own, "/" HD_WATCH_LIBRARY, own))
        return preload;
    return preload[n] ? preload + n + 1 : NULL;
}

char **hd_launch_env(const struct hd_launch *l, u32 *own)
{
    u32 n = 0;
    char **base = hd_inherit_env(l->inherited ? l->inherited : hd_inherit_caller());
    if (!base)
        return NULL;
    const char *preload = without_watch(hd_env_value(base, "LD_PRELOAD")), *bind = hd_env_value(base, "LD_BIND_NOW");
    bool is_omp_tuned = hd_env_value(base, "GOMP_SPINCOUNT") || hd_env_value(base, "OMP_WAIT_POLICY");
    while (base[n])
        n++;
    for (char *const *e = l->env; e && *e; e++)
        n++;
    char **env = calloc(n + 7, sizeof *env);
    if (!env) {
        free(base);
        return NULL;
    }
    n = 0;
    for (char **e = base; *e; e++)
        if (!is_own(*e) && !is_replaced(l, *e))
            env[n++] = strdup(*e);
    free(base);
    for (char *const *e = l->env; e && *e; e++)
        env[n++] = strdup(*e);
    if (!is_omp_tuned) /* or libgomp loops for milliseconds before each wait */
        env[n++] = joined("GOMP_SPINCOUNT=", "0", "", "");
    *own = n;
    bool has = preload && *preload;
    env[n++] = joined("LD_PRELOAD=", l->target->runtime, has ? ":" : "", has ? preload : "");
    if (preload)
        env[n++] = joined("HEDDLE_PRELOAD_WAS=", preload, "", "");
    if (!bind) /* not in each run anew */
        env[n++] = joined("LD_BIND_NOW=", HD_BIND_NOW, "", "");
    char fd[16];
    snprintf(fd, sizeof fd, "%d", HD_SHM_FD);
    env[n++] = joined("HEDDLE_SHM=", fd, "", "");
    for (u32 i = 0; i < n; i++)
        if (!env[i]) {
            hd_launch_env_free(env);
            return NULL;
        }
    env[n] = hd_env_padding(env, l->argv, l->target->path);
    return env;
}

void hd_launch_env_free(char **env)
{
    for (char **e = env; e && *e; e++)
        free(*e);
    free(env);
}
