/* replay_inherited.c: struct hd_inherited and its lines in a replay file. */
#include "event/inherited.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>

#include "event/replay/replay.h"

#define MAX_VARIABLES 65536

/* Not RLIMIT_CORE: the target never has core files. */
static const struct {
    const char *name;
    int resource;
} limits[HD_LIMITS] = {
    {"as", RLIMIT_AS},           {"cpu", RLIMIT_CPU},       {"data", RLIMIT_DATA},
    {"fsize", RLIMIT_FSIZE},     {"locks", RLIMIT_LOCKS},   {"memlock", RLIMIT_MEMLOCK},
    {"msgqueue", RLIMIT_MSGQUEUE}, {"nice", RLIMIT_NICE},   {"nofile", RLIMIT_NOFILE},
    {"nproc", RLIMIT_NPROC},     {"rss", RLIMIT_RSS},       {"rtprio", RLIMIT_RTPRIO},
    {"rttime", RLIMIT_RTTIME},   {"sigpending", RLIMIT_SIGPENDING}, {"stack", RLIMIT_STACK},
};

int hd_rlimit_resource(u32 i) { return limits[i].resource; }
const char *hd_rlimit_name(u32 i) { return limits[i].name; }

/* ---- variables ------------------------------------------------------------------ */

/* Replay files travel with bug reports, so values of such variables stay out. */
static bool is_secret(const char *text, size_t name)
{
    static const char *const hints[] = {"TOKEN", "SECRET", "PASSWORD", "PASSWD",  "CREDENTIAL",
                                        "PRIVATE", "APIKEY", "API_KEY", "_KEY", "AUTH", "COOKIE"};
    for (u32 i = 0; i < HD_COUNT(hints); i++)
        for (size_t at = 0, n = strlen(hints[i]); at + n <= name; at++)
            if (!strncasecmp(text + at, hints[i], n))
                return true;
    return false;
}

const struct hd_variable *hd_inherited_find(const struct hd_inherited *h, const char *name,
                                            size_t n)
{
    for (u32 i = 0; i < h->n_env; i++)
        if (!strncmp(h->env[i].text, name, n) && strchr("=", h->env[i].text[n]))
            return &h->env[i];
    return NULL;
}

static struct hd_variable *new_variable(struct hd_inherited *h, const char *text)
{
    if (h->n_env >= MAX_VARIABLES)
        return NULL;
    if (!(h->n_env & (h->n_env - 1))) { /* 0, 1, 2, 4, ...: the array is full */
        void *grown = realloc(h->env, HD_MAX(2 * h->n_env, 1u) * sizeof *h->env);
        if (!grown)
            return NULL;
        h->env = grown;
    }
    struct hd_variable *v = &h->env[h->n_env];
    *v = (struct hd_variable){.text = strdup(text)};
    if (!v->text)
        return NULL;
    h->n_env++;
    return v;
}

int hd_inherited_add(struct hd_inherited *h, const char *text)
{
    size_t name = strcspn(text, "=");
    struct hd_variable *v = new_variable(h, text);
    if (!v)
        return -ENOMEM;
    const char *value = text[name] ? text + name + 1 : "";
    v->is_secret = is_secret(text, name);
    v->hash = hd_replay_sum(value, strlen(value));
    return 0;
}

void hd_inherited_release(struct hd_inherited *h)
{
    for (u32 i = 0; i < h->n_env; i++)
        free(h->env[i].text);
    free(h->env);
    memset(h, 0, sizeof *h);
}

int hd_inherited_copy(struct hd_inherited *to, const struct hd_inherited *h)
{
    *to = *h;
    to->env = NULL;
    to->n_env = 0;
    for (u32 i = 0; i < h->n_env; i++) {
        struct hd_variable *v = new_variable(to, h->env[i].text);
        if (!v) {
            hd_inherited_release(to);
            return -ENOMEM;
        }
        v->hash = h->env[i].hash;
        v->is_secret = h->env[i].is_secret;
    }
    return 0;
}

/* ---- writing --------------------------------------------------------------------- */

static void put_amount(FILE *f, u64 n)
{
    if (n == HD_LIMIT_NONE)
        fputs(" unlimited", f);
    else
        fprintf(f, " %" PRIu64, n);
}

static void put_variable(FILE *f, const struct hd_variable *v)
{
    if (v->is_secret) {
        char *name = strndup(v->text, strcspn(v->text, "="));
        fprintf(f, "secret %016" PRIx64 " ", v->hash);
        hd_replay_put_string(f, name ? name : "");
        free(name);
    } else {
        fputs("env ", f);
        hd_replay_put_string(f, v->text);
    }
    fputc('\n', f);
}

void hd_inherited_put(FILE *f, const struct hd_inherited *h)
{
    HD_BITS_EACH(fd, h->fds, HD_INHERIT_WORDS)
        fprintf(f, "inherits %u\n", fd);
    if (!h->is_complete)
        return;
    fprintf(f, "umask %o\nuid %" PRIu32 "\nprocessors %" PRIu32 " %" PRIu32 "\n", h->umask, h->uid,
            h->online, h->configured);
    for (u32 i = 0; i < HD_LIMITS; i++) {
        fprintf(f, "rlimit %s", limits[i].name);
        put_amount(f, h->limit[i].soft);
        put_amount(f, h->limit[i].hard);
        fputc('\n', f);
    }
    HD_BITS_EACH(bit, &h->ignored, 1)
        fprintf(f, "ignores %u\n", bit + 1);
    HD_BITS_EACH(cpu, h->cpus, HD_COUNT(h->cpus))
        fprintf(f, "may-use %u\n", cpu);
    for (u32 i = 0; i < h->n_env; i++)
        put_variable(f, &h->env[i]);
}

/* ---- reading ---------------------------------------------------------------------- */

static bool take_number(const char **at, int base, u64 max, u64 *out)
{
    char *end;
    if (**at < '0' || (**at > '9' && **at < 'a') || **at > 'f')
        return false;
    errno = 0;
    *out = strtoull(*at, &end, base);
    if (errno || end == *at || *out > max || (*end && *end != ' '))
        return false;
    *at = *end ? end + 1 : end;
    return true;
}

static bool take_amount(const char **at, u64 *out)
{
    static const char none[] = "unlimited";
    if (strncmp(*at, none, sizeof none - 1))
        return take_number(at, 10, HD_LIMIT_NONE - 1, out);
    *at += sizeof none - 1;
    *out = HD_LIMIT_NONE;
    if (**at == ' ')
        ++*at;
    return true;
}

static int take_limit(struct hd_inherited *h, const char *rest)
{
    for (u32 i = 0; i < HD_LIMITS; i++) {
        size_t n = strlen(limits[i].name);
        if (strncmp(rest, limits[i].name, n) || rest[n] != ' ')
            continue;
        rest += n + 1;
        bool is_good = take_amount(&rest, &h->limit[i].soft) &&
                       take_amount(&rest, &h->limit[i].hard) && !*rest;
        return is_good && h->limit[i].soft <= h->limit[i].hard ? 1 : -EBADMSG;
    }
    return -EBADMSG;
}

static int take_variable(struct hd_inherited *h, const char *rest, bool is_secret_line)
{
    u64 hash = 0;
    if (is_secret_line && !take_number(&rest, 16, ~(u64)0, &hash))
        return -EBADMSG;
    char *text = malloc(strlen(rest) + 1);
    int e = text && hd_replay_take_string(rest, text) && *text && *text != '=' ? 1 : -EBADMSG;
    if (e > 0 && !is_secret_line)
        e = strchr(text, '=') && !hd_inherited_add(h, text) ? 1 : -EBADMSG;
    if (e > 0 && is_secret_line) {
        struct hd_variable *v = strchr(text, '=') ? NULL : new_variable(h, text);
        if (v)
            *v = (struct hd_variable){v->text, hash, true};
        e = v ? 1 : -EBADMSG;
    }
    free(text);
    return e;
}

static int take_bit(u64 *set, const char *rest, u64 first, u64 end)
{
    u64 n;
    if (!take_number(&rest, 10, end, &n) || *rest || n < first)
        return -EBADMSG;
    hd_bit_set(set, (u32)n);
    return 1;
}

int hd_inherited_take(struct hd_inherited *h, const char *word, const char *rest)
{
    u64 n;
    if (!strcmp(word, "inherits"))
        return take_bit(h->fds, rest, 3, HD_SHM_FD - 1);
    if (!strcmp(word, "rlimit"))
        return take_limit(h, rest);
    if (!strcmp(word, "env") || !strcmp(word, "secret"))
        return take_variable(h, rest, word[0] == 's');
    if (!strcmp(word, "may-use"))
        return take_bit(h->cpus, rest, 0, 64 * HD_COUNT(h->cpus) - 1);
    if (!strcmp(word, "ignores")) {
        if (!take_number(&rest, 10, 64, &n) || *rest || !n)
            return -EBADMSG;
        h->ignored |= (u64)1 << (n - 1);
        return 1;
    }
    if (!strcmp(word, "processors")) {
        u64 all;
        if (!take_number(&rest, 10, 65536, &n) || !take_number(&rest, 10, 65536, &all) || *rest)
            return -EBADMSG;
        h->online = (u32)n;
        h->configured = (u32)all;
        return 1;
    }
    if (!strcmp(word, "uid")) {
        if (!take_number(&rest, 10, UINT32_MAX, &n) || *rest)
            return -EBADMSG;
        h->uid = (u32)n;
        return 1;
    }
    if (!strcmp(word, "umask")) { /* stands in every file that has the rest */
        if (!take_number(&rest, 8, 0777, &n) || *rest)
            return -EBADMSG;
        h->umask = (u32)n;
        h->is_complete = true;
        return 1;
    }
    return 0;
}
