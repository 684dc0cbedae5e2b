/* vars.c: names in a script's texts, and ports; see script.h. */
#include "script/script.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Below the range from which the kernel takes ports for outgoing connections: a
 * client of one run must not get the port of the next server. */
#define PORT_FIRST 20000u
#define PORT_COUNT 12000u

/* 1 = written to `to`, 0 = not one of ours, -1 = not known here. */
static int own_name(FILE *to, const char *name, const struct hd_script_vars *v)
{
    if (!strcmp(name, "port"))
        fprintf(to, "%u", v->port);
    else if (!strcmp(name, "worker"))
        fprintf(to, "%u", v->worker);
    else if (!strcmp(name, "tmp"))
        fputs(v->tmp, to);
    else if (!strcmp(name, "input"))
        fputs(v->input, to);
    else if (!strcmp(name, "run") && v->has_run)
        fprintf(to, "%llu", (unsigned long long)v->run);
    else
        return strcmp(name, "run") ? 0 : -1;
    return 1;
}

static bool is_env_name(const char *name)
{
    if (!isalpha((u8)*name) && *name != '_')
        return false;
    return !name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")];
}

/* ${NAME} or ${NAME:-default} */
static bool env_name(FILE *to, char *name, struct hd_error *err)
{
    char *otherwise = strstr(name, ":-");
    if (otherwise) {
        *otherwise = '\0';
        otherwise += 2;
    }
    const char *value = is_env_name(name) ? getenv(name) : NULL;
    if (is_env_name(name) && (value || otherwise)) {
        fputs(value && *value ? value : otherwise ? otherwise : "", to);
        return true;
    }
    hd_error_set(
        err, -EINVAL,
        is_env_name(name)
            ? "${%.80s} is none of port, tmp, input, worker, run and not set in the environment "
              "(${%.80s:-default} gives a value for that)"
            : "'${%.80s}' is no name (write $${ for a plain ${)%.0s",
        name, name);
    return false;
}

char *hd_script_expand(const char *text, const struct hd_script_vars *v, bool is_shell,
                       struct hd_error *err)
{
    char *out = NULL;
    size_t n = 0;
    bool is_fine = true;
    FILE *to = open_memstream(&out, &n);
    HD_ASSERT(to);
    for (const char *p = text; is_fine && *p; p++) {
        const char *end = p[0] == '$' && p[1] == '{' ? strchr(p, '}') : NULL;
        if (!is_shell && !strncmp(p, "$${", 3)) {
            fputs("${", to);
            p += 2;
            continue;
        }
        if (!end) {
            fputc(*p, to);
            continue;
        }
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(end - p - 2), p + 2);
        int own = own_name(to, name, v);
        if (own < 0) {
            hd_error_set(err, -EINVAL,
                         "${run} is not known here: the program is loaded once for all "
                         "runs; commands may use it");
            is_fine = false;
        } else if (!own && is_shell) {
            fputc(*p, to);
            continue;
        } else if (!own) {
            is_fine = env_name(to, name, err);
        }
        p = end;
    }
    HD_ASSERT(!fclose(to));
    if (is_fine)
        return out;
    free(out);
    return NULL;
}

/* ---- ports --------------------------------------------------------------------------- */

bool hd_script_is_port_free(u32 port)
{
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons((u16)port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return true; /* no network at all: nobody will use it */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool is = !bind(fd, (struct sockaddr *)&a, sizeof a) && !hd_script_tcp_listens(port);
    close(fd);
    return is;
}

u32 hd_script_free_port(u32 index)
{
    u32 at = ((u32)getpid() * 37 + index * 1009) % PORT_COUNT;
    for (u32 i = 0; i < PORT_COUNT; i++, at = (at + 1) % PORT_COUNT)
        if (hd_script_is_port_free(PORT_FIRST + at))
            return PORT_FIRST + at;
    return 0;
}
