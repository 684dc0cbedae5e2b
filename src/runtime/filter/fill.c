/* fill.c: see fill.h. One call at a time keeps what it will fill; while its access waits for its
 * turn others may do so, each in a room of its own. */
#include "runtime/filter/fill.h"

#include "runtime/core/gate.h"
#include "runtime/filter/site.h"
#include "runtime/libc/sys.h"
#include "runtime/libc/user_mem.h"

#define ROOM 65536 /* bytes; what fills more is stated as it comes */
#define PARTS 16
#define ROOMS 64

struct room {
    struct room *next;
    u8 bytes[ROOM];
};

static struct room *rooms; /* not in use */
static u32 n_rooms;
static struct {
    struct room *room; /* NULL = nothing is kept */
    u64 site, step;
    size_t n;
    const void *first;
} kept;

static bool is_point(u64 site)
{
    const struct hd_site *s = hd_site_slot(hd_sites, site);
    return (s && s->pc == site && s->flags & (HD_SITE_POINT | HD_SITE_GOAL)) ||
           hd_rt.server->cfg.mode & HD_MODE_NO_FILTER;
}

static struct room *take_room(void)
{
    struct room *r = kept.room ? kept.room : rooms;
    if (!r && n_rooms < ROOMS) {
        n_rooms++;
        return hd_arena_alloc(NULL, sizeof *r);
    }
    if (r && r == rooms)
        rooms = r->next;
    return r;
}

static void give_room(struct room *r)
{
    r->next = rooms;
    rooms = r;
}

void hd_fill_keep_iov(const struct iovec *iov, int n, u64 site)
{
    size_t total = 0;
    if (!is_point(site) || n < 1 || n > PARTS)
        return;
    for (int i = 0; i < n; i++)
        total += HD_MIN(iov[i].iov_len, (size_t)ROOM + 1);
    struct room *r = total && total <= ROOM ? take_room() : NULL;
    kept.room = r;
    size_t at = 0;
    for (int i = 0; r && i < n; at += iov[i++].iov_len)
        if (!hd_user_read(r->bytes + at, iov[i].iov_base, iov[i].iov_len)) {
            give_room(r);
            kept.room = r = NULL;
        }
    kept.site = site;
    kept.step = hd_rt.sched.step;
    kept.n = total;
    kept.first = iov[0].iov_base;
}

void hd_fill_keep(const void *buf, size_t n, u64 site)
{
    struct iovec iov = {(void *)buf, n};
    hd_fill_keep_iov(&iov, 1, site);
}

/* What is kept and what is there change places. */
static void exchange(struct room *r, const struct iovec *iov, int n, size_t bytes)
{
    size_t at = 0;
    for (int i = 0; i < n && at < bytes; i++) {
        size_t k = HD_MIN(iov[i].iov_len, bytes - at);
        u8 *p = iov[i].iov_base;
        for (size_t b = 0; b < k; b++) {
            u8 new = p[b];
            p[b] = r->bytes[at + b];
            r->bytes[at + b] = new;
        }
        at += k;
    }
}

static void let_in(const struct room *r, const struct iovec *iov, int n, size_t bytes)
{
    size_t at = 0;
    for (int i = 0; i < n && at < bytes; i++) {
        size_t k = HD_MIN(iov[i].iov_len, bytes - at);
        hd_user_write(iov[i].iov_base, r->bytes + at, k); /* another thread may have unmapped it */
        at += k;
    }
}

static void state(const struct iovec *iov, int n, size_t bytes, u64 site)
{
    for (int i = 0; i < n && bytes; i++) {
        size_t k = HD_MIN(iov[i].iov_len, bytes);
        if (k)
            hd_access(iov[i].iov_base, k, true, site);
        bytes -= k;
    }
}

void hd_fill_state_iov(const struct iovec *iov, int n, size_t bytes, u64 site)
{
    struct room *r = kept.room;
    bool is_it = r && n > 0 && kept.site == site && kept.step == hd_rt.sched.step &&
                 kept.first == iov[0].iov_base && bytes <= kept.n;
    if (!is_it) {
        state(iov, n, bytes, site);
        return;
    }
    kept.room = NULL; /* it is this call's from here on */
    exchange(r, iov, n, bytes);
    state(iov, n, bytes, site);
    let_in(r, iov, n, bytes);
    give_room(r);
}

void hd_fill_state(const void *buf, size_t bytes, u64 site)
{
    struct iovec iov = {(void *)buf, bytes};
    hd_fill_state_iov(&iov, 1, bytes, site);
}
