/* trust.c: see trust.h. */
#include "campaign/trust.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/command.h"
#include "process/oracle.h"
#include "script/script.h"

static u64 machine[2]; /* the key; made from the machine's id */

/* ---- SipHash-2-4 (Aumasson, Bernstein 2012) -------------------------------------------- */

static u64 rotate_left(u64 x, u32 by) { return x << by | x >> (64 - by); }

static void round_of(u64 v[4])
{
    v[0] += v[1];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
}

u64 hd_trust_hash(const u64 key[2], const void *data, size_t n)
{
    const u8 *p = data;
    u64 v[4] = {key[0] ^ 0x736f6d6570736575ull, key[1] ^ 0x646f72616e646f6dull,
                key[0] ^ 0x6c7967656e657261ull, key[1] ^ 0x7465646279746573ull};
    for (size_t at = 0;; at += 8) {
        size_t k = HD_MIN(n - at, (size_t)8);
        u64 m = k < 8 ? (u64)n << 56 : 0;
        for (size_t i = 0; i < k; i++)
            m |= (u64)p[at + i] << (8 * i);
        v[3] ^= m;
        round_of(v);
        round_of(v);
        v[0] ^= m;
        if (k < 8)
            break;
    }
    v[2] ^= 0xff;
    for (u32 i = 0; i < 4; i++)
        round_of(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- the seal ----------------------------------------------------------------------------- */

static u64 seal(const char *text, size_t n)
{
    u64 s = hd_trust_hash(machine, text, n);
    return s ? s : 1; /* 0 means none */
}

void hd_trust_init(void)
{
    /* The last one is another after each start of the machine: better than nothing. */
    static const char *const places[] = {"/etc/machine-id", "/var/lib/dbus/machine-id",
                                         "/proc/sys/kernel/random/boot_id"};
    static const u64 label[2] = {0x6564646c65686764ull, 0x31746c61657374ull};
    for (u32 i = 0; i < HD_COUNT(places); i++) {
        char id[64];
        FILE *f = fopen(places[i], "re");
        size_t n = f ? fread(id, 1, sizeof id, f) : 0;
        if (f)
            fclose(f);
        if (n < 32)
            continue; /* "uninitialized" */
        machine[0] = hd_trust_hash(label, id, n);
        machine[1] = hd_trust_hash(machine, id, n);
        hd_replay_seal = seal;
        return;
    }
}

/* Files of a finding's folder that make heddle run something. */
static const char *const commands[] = {HD_ORACLE_CHECK,   HD_ORACLE_EXPECTED, HD_AROUND_SETUP,
                                       HD_AROUND_CLEANUP, HD_SCRIPT_FILE,     HD_SCRIPT_INPUT};

u64 hd_trust_beside(const char *dir)
{
    u64 all[HD_COUNT(commands)][2] = {0};
    bool is_any = false;
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        char path[PATH_MAX + 64], *text;
        size_t n;
        snprintf(path, sizeof path, "%s/%s", dir, commands[i]);
        int e = hd_read_file(path, &text, &n);
        if (e == -ENOENT)
            continue;
        is_any = true;
        all[i][0] = e ? ~(u64)0 : n + 1;
        all[i][1] = e ? 0 : hd_trust_hash(machine, text, n);
        if (!e)
            free(text);
    }
    u64 h = is_any ? hd_trust_hash(machine, all, sizeof all) : 0;
    return is_any && !h ? 1 : h;
}

static bool is_ours(const char *path)
{
    struct stat st;
    return stat(path, &st) ? errno == ENOENT : st.st_uid == geteuid() || st.st_uid == 0;
}

bool hd_trust_is_own(const struct hd_replay *r, const char *file, char *why, size_t size)
{
    char copy[PATH_MAX], path[PATH_MAX + 64];
    snprintf(copy, sizeof copy, "%s", file);
    const char *dir = dirname(copy);
    bool is = is_ours(file) && is_ours(dir);
    for (u32 i = 0; i < HD_COUNT(commands); i++) {
        snprintf(path, sizeof path, "%s/%s", dir, commands[i]);
        is &= is_ours(path);
    }
    if (!is) {
        snprintf(why, size, "it belongs to another user");
        return false;
    }
    if (!r->is_sealed) {
        snprintf(why, size, r->seal ? "it was made on another machine, or changed since"
                                    : "it carries no seal of this machine");
        return false;
    }
    u64 now = hd_trust_beside(dir);
    if (now && now != r->beside) { /* a copy of the schedule alone runs no commands */
        snprintf(why, size, "the commands beside it were changed since it was made");
        return false;
    }
    return true;
}
