/* without.c: see without.h. A thread remembers which locks it took by calls that were left
 * out: the unlock may stand in another function. */
#include "runtime/icept/sync/without.h"

#define RANGES 32
#define HELD 64 /* of one thread; further calls are not left out */

HD_HIDDEN bool hd_has_without;
static bool is_all;
static u32 n_ranges;
static struct {
    u64 from, to;
} range[RANGES];
static __thread u32 n_held __attribute__((tls_model("initial-exec")));
static __thread const volatile void *held[HELD] __attribute__((tls_model("initial-exec")));

static u64 hex(const char **at)
{
    u64 v = 0;
    for (;; ++*at) {
        char c = **at;
        u64 digit = c >= '0' && c <= '9' ? (u64)(c - '0') : c >= 'a' && c <= 'f' ? (u64)(c - 'a') + 10 : 16;
        if (digit == 16)
            return v;
        v = v << 4 | digit;
    }
}

void hd_without_init(const char *text)
{
    if (!text)
        return;
    is_all = text[0] == 'a' && text[1] == 'l';
    while (!is_all && *text && n_ranges < RANGES) {
        range[n_ranges].from = hex(&text);
        text += *text == '-';
        range[n_ranges++].to = hex(&text);
        if (*text != ',')
            break;
        text++;
    }
    hd_has_without = is_all || n_ranges;
}

static bool is_left_out(u64 site)
{
    u64 at = site - 1 - hd_shm_modules(hd_rt.run)[0].bias; /* the call, not what follows it */
    for (u32 i = 0; i < n_ranges; i++)
        if (at - range[i].from < range[i].to - range[i].from)
            return true;
    return is_all;
}

bool hd_without_lock_slow(const volatile void *lock, u64 site)
{
    if (n_held == HELD || !is_left_out(site))
        return false;
    held[n_held++] = lock;
    return true;
}

bool hd_without_holds_slow(const volatile void *lock)
{
    for (u32 i = n_held; i--;)
        if (held[i] == lock)
            return true;
    return false;
}

bool hd_without_unlock_slow(const volatile void *lock)
{
    for (u32 i = n_held; i--;)
        if (held[i] == lock) {
            held[i] = held[--n_held];
            return true;
        }
    return false;
}
