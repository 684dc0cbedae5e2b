/* watch.c: a library of its own that is loaded into every process which a command under test
 * starts (LD_PRELOAD is inherited). It takes over nothing. Before anything else of the program
 * runs it looks whether the program was built with -fsanitize=thread; if so it asks the host
 * (event/ask.h) what the process is to be, and begins the program again with Heddle's runtime in
 * front. The descriptors, the process number and the parent stay the same. Every other program
 * just goes on.
 *
 * Ground rules: raw system calls, no memory but its own, no name that a program could meet. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>

#include "event/shm.h"
#include "runtime/started/ask.h"
#include "runtime/libc/sys.h"

#define VARIABLES 4096

static char *new_env[VARIABLES + 8];
static char preload[4096], preload_was[4096], pad[HD_STACK_UNIT + 16];
static char shm_fd[] = "HEDDLE_SHM=" HD_SHM_FD_TEXT, bind_now[] = "LD_BIND_NOW=" HD_BIND_NOW,
            spin_count[] = "GOMP_SPINCOUNT=0";
_Static_assert(HD_SHM_FD == 1013, "the text above");

static const char *value_of(const char *entry, const char *name)
{
    while (*name && *entry == *name)
        entry++, name++;
    return !*name && *entry == '=' ? entry + 1 : NULL;
}

static const char *find(char **envp, const char *name)
{
    for (; *envp; envp++) {
        const char *v = value_of(*envp, name);
        if (v)
            return v;
    }
    return NULL;
}

static bool begins(const char *s, const char *with)
{
    while (*with && *s == *with)
        s++, with++;
    return !*with;
}

/* ---- is it instrumented? ---------------------------------------------------------------- */

static int each_module(struct dl_phdr_info *info, size_t size, void *found)
{
    const char *name = info->dlpi_name, *base = name;
    for (const char *p = name; *p; p++)
        if (*p == '/')
            base = p + 1;
    if (!begins(base, "libtsan.so.") && !begins(base, "libclang_rt.tsan"))
        return 0;
    hd_memcpy(found, base, HD_MIN(hd_strlen(base) + 1, (size_t)63));
    return 1;
}

/* ---- beginning again -------------------------------------------------------------------- */

static bool append(char *to, size_t size, size_t *at, const char *text, size_t n)
{
    if (*at + n + 1 > size)
        return false;
    hd_memcpy(to + *at, text, n);
    *at += n;
    to[*at] = '\0';
    return true;
}

/* LD_PRELOAD with the runtime instead of this library, and what children are to have: the same
 * as now. False: there is no room. */
static bool make_preload(const char *now, const char *runtime)
{
    static const char own[] = "/" HD_WATCH_LIBRARY;
    size_t n = 0, was = 0, own_bytes = 0;
    bool is_ok = append(preload, sizeof preload, &n, "LD_PRELOAD=", 11) &&
                 append(preload, sizeof preload, &n, runtime, hd_strlen(runtime)) &&
                 append(preload_was, sizeof preload_was, &was, "HEDDLE_PRELOAD_WAS=", 19) &&
                 append(preload_was, sizeof preload_was, &was, now, hd_strlen(now));
    for (const char *p = now; is_ok && *p;) {
        size_t k = 0, end = sizeof own - 1;
        while (p[k] && p[k] != ':' && p[k] != ' ')
            k++;
        bool is_own = k >= end && !hd_memcmp(p + k - end, own, end);
        if (is_own)
            own_bytes = k;
        else if (k)
            is_ok = append(preload, sizeof preload, &n, ":", 1) &&
                    append(preload, sizeof preload, &n, p, k);
        p += k + (p[k] != '\0');
    }
    /* The runtime puts back what was there in the same place (runtime/core/init.c). */
    return is_ok && own_bytes && own_bytes <= hd_strlen(runtime);
}

static size_t stack_bytes(char *const *list)
{
    size_t n = 0;
    for (; *list; list++)
        n += hd_strlen(*list) + 1 + sizeof(char *);
    return n;
}

static char *padding(size_t used)
{
    static const char name[] = "HEDDLE_PAD=";
    size_t left = (HD_STACK_UNIT - (used + sizeof name + sizeof(char *)) % HD_STACK_UNIT) % HD_STACK_UNIT;
    hd_memcpy(pad, name, sizeof name - 1);
    hd_memset(pad + sizeof name - 1, '.', left);
    pad[sizeof name - 1 + left] = '\0';
    return pad;
}

static void begin_again(const char *path, char **argv, char **envp, const struct hd_reply *a)
{
    u32 n = 0;
    bool is_tuned = find(envp, "GOMP_SPINCOUNT") || find(envp, "OMP_WAIT_POLICY");
    const char *now = find(envp, "LD_PRELOAD");
    if (!now || !make_preload(now, a->runtime))
        return;
    for (char **e = envp; *e; e++) {
        if (value_of(*e, "LD_PRELOAD"))
            continue;
        if (n == VARIABLES)
            return;
        new_env[n++] = *e;
    }
    new_env[n++] = preload;
    new_env[n++] = preload_was;
    if (a->kind == HD_REPLY_CONTROL) {
        if (!is_tuned)
            new_env[n++] = spin_count;
        if (!find(envp, "LD_BIND_NOW"))
            new_env[n++] = bind_now;
        new_env[n++] = shm_fd;
    }
    new_env[n] = padding(stack_bytes(new_env) + stack_bytes(argv) + hd_strlen(path) + 1);
    hd_sys(SYS_execve, path, argv, new_env);
}

__attribute__((constructor)) static void watch(int argc, char **argv, char **envp)
{
    static struct hd_ask ask;
    static struct hd_reply reply;
    char library[64] = "";
    const char *name = find(envp, HD_ASK_ENV);
    if (!name || hd_strlen(name) >= HD_ASK_NAME)
        return;
    bool is_all = *name == HD_ASK_ALL;
    dl_iterate_phdr(each_module, library);
    if (!library[0] && !is_all)
        return;
    hd_ask_init(&ask, HD_ASK_START, library, argc, argv);
    hd_ask(name + is_all, &ask, &reply);
    if (reply.kind != HD_REPLY_FREE && ask.exe[0])
        begin_again(ask.exe, argv, envp, &reply);
    if (reply.kind == HD_REPLY_CONTROL) /* it could not: nothing of ours stays */
        for (int fd = HD_SHM_FD; fd <= HD_LAST_FD; fd++)
            hd_sys(SYS_close, fd);
}
