/* known.c: see known.h. */
#include "detect/known.h"

#include "detect/accesses.h"

void hd_known_release(struct hd_known *k) { hd_map_release(&k->by_sites); }

static u32 add(struct hd_known *k, const u64 *site, u32 n)
{
    u64 *times = hd_map_ref(&k->by_sites, hd_sites_key(n, site, n), 0);
    return !(*times)++;
}

u32 hd_known_add(struct hd_known *k, const struct hd_races *r, struct hd_known_upto *from)
{
    u32 fresh = 0;
    for (; from->pairs < r->pair.n; from->pairs++) {
        const u64 *s = r->pair.at[from->pairs].is.site;
        fresh += add(k, (u64[]){HD_MIN(s[0], s[1]), HD_MAX(s[0], s[1])}, 2);
    }
    for (; from->triples < r->triples.all.n; from->triples++) {
        const struct hd_race_seen *s = &r->triples.all.at[from->triples].is;
        fresh += add(k, (u64[]){s->site[0], s->site[1], s->third}, 3);
    }
    return fresh;
}
