/* seen.c: runs that went exactly as one before: same events, byte for byte.
 *
 * Such a run covers what that one covered, so nobody needs to look at its events
 * again; only the elements' counts of runs go up. Small programs have few schedules
 * and most of their runs are of this kind. Equal means equal by two hashes of 64
 * bits over all there is in the events.
 */
#include "cover/cover.h"

#include <string.h>

#define MOST_RUNS 16384     /* remembered; what comes later is always looked at */
#define MOST_MET (1u << 18) /* records of all of them together */

static u64 rotate(u64 x, u32 n) { return x << n | x >> (64 - n); }

struct hd_cover_hash hd_cover_hash(const struct hd_event *ring, u64 from, u64 to)
{
    u64 a = 0x9e3779b97f4a7c15ull ^ (to - from), b = 0x94d049bb133111ebull;
    for (u64 i = from; i < to; i++) {
        struct hd_event e = hd_shm_event(ring, i);
        u64 w[4];
        memcpy(w, &e, sizeof w);
        a = (rotate(a, 23) ^ w[0]) * 0xbf58476d1ce4e5b9ull + w[2];
        b = (rotate(b, 29) ^ w[1]) * 0x9e3779b97f4a7c15ull + w[3];
        a ^= b >> 32;
        b += a >> 29;
    }
    return (struct hd_cover_hash){a ^ a >> 31, b ^ b >> 33};
}

void hd_cover_seen_clear(struct hd_cover_seen *s)
{
    hd_map_clear(&s->by_hash);
    hd_vec_clear(&s->run);
    hd_vec_clear(&s->met);
}

void hd_cover_seen_release(struct hd_cover_seen *s)
{
    hd_map_release(&s->by_hash);
    hd_vec_release(&s->run);
    hd_vec_release(&s->met);
}

const struct hd_cover_was *hd_cover_seen_find(const struct hd_cover_seen *s,
                                              struct hd_cover_hash h, u32 changes)
{
    const u64 *i = hd_map_get(&s->by_hash, h.a);
    const struct hd_cover_was *r = i ? &s->run.at[*i] : NULL;
    return r && r->check == h.b && r->changes == changes ? r : NULL;
}

void hd_cover_seen_add(struct hd_cover_seen *s, struct hd_cover_hash h, u32 changes,
                       const u32 *met, size_t n)
{
    if (s->run.n >= MOST_RUNS || s->met.n + n > MOST_MET)
        return;
    struct hd_cover_was r = {.check = h.b, .changes = changes, .from = (u32)s->met.n, .n = (u32)n};
    u64 *i = hd_map_ref(&s->by_hash, h.a, s->run.n);
    if (*i == s->run.n)
        *hd_vec_add(&s->run) = r;
    else
        s->run.at[*i] = r; /* what it was no longer holds */
    hd_vec_reserve(&s->met, s->met.n + n);
    if (n)
        memcpy(s->met.at + s->met.n, met, n * sizeof *met);
    s->met.n += n;
}
