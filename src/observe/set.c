/* set.c: the set of all elements and the numbers of their sites. Open
 * addressing, at most 3/4 full; nothing is ever taken out. See element.h. */
#include "observe/element.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64 };

static void *allocate(void *old, size_t n, size_t size)
{
    void *p = old ? realloc(old, n * size) : calloc(n, size);
    HD_ASSERT(p);
    return p;
}

void hd_set_init(struct hd_set *s)
{
    *s = (struct hd_set){.cap = SMALLEST, .n_slots = SMALLEST, .cap_sites = SMALLEST,
                         .n_site_slots = SMALLEST, .n_sites = 1, .stamp = 1};
    s->record = allocate(NULL, s->cap, sizeof *s->record);
    s->slot = allocate(NULL, s->n_slots, sizeof *s->slot);
    s->site = allocate(NULL, s->cap_sites, sizeof *s->site);
    s->site_slot = allocate(NULL, s->n_site_slots, sizeof *s->site_slot);
}

void hd_set_release(struct hd_set *s)
{
    free(s->record);
    free(s->slot);
    free(s->site);
    free(s->site_slot);
    *s = (struct hd_set){0};
}

size_t hd_set_bytes(const struct hd_set *s)
{
    return s->cap * sizeof *s->record + s->n_slots * sizeof *s->slot +
           s->cap_sites * sizeof *s->site + s->n_site_slots * sizeof *s->site_slot;
}

/* ---- sites ------------------------------------------------------------------- */

static u32 site_home(const struct hd_set *s, u64 site)
{
    site = (site ^ site >> 32) * 0x9e3779b97f4a7c15ull;
    return (u32)(site >> 32) & (s->n_site_slots - 1);
}

static struct hd_site_slot *site_slot(const struct hd_set *s, u64 site)
{
    u32 i = site_home(s, site);
    while (s->site_slot[i].id && s->site_slot[i].site != site)
        i = (i + 1) & (s->n_site_slots - 1);
    return &s->site_slot[i];
}

static HD_COLD u32 add_site(struct hd_set *s, u64 site)
{
    if (s->n_sites == s->cap_sites)
        s->site = allocate(s->site, s->cap_sites *= 2, sizeof *s->site);
    if (s->n_sites >= s->n_site_slots / 4 * 3) {
        free(s->site_slot);
        s->n_site_slots *= 2;
        s->site_slot = allocate(NULL, s->n_site_slots, sizeof *s->site_slot);
        for (u32 i = 1; i < s->n_sites; i++)
            *site_slot(s, s->site[i]) = (struct hd_site_slot){s->site[i], i};
    }
    u32 id = s->n_sites++;
    s->site[id] = site;
    *site_slot(s, site) = (struct hd_site_slot){site, id};
    return id;
}

u32 hd_set_site(struct hd_set *s, u64 site)
{
    u32 id = site_slot(s, site)->id;
    return HD_LIKELY(id) ? id : add_site(s, site);
}

/* ---- elements ---------------------------------------------------------------- */

u32 hd_set_find(const struct hd_set *s, const struct hd_key *k)
{
    u64 h = hd_key_hash(k);
    u32 mask = s->n_slots - 1, tag = (u32)(h >> 32);
    for (u32 i = (u32)h & mask; s->slot[i].at; i = (i + 1) & mask)
        if (s->slot[i].tag == tag && hd_key_is_equal(&s->record[s->slot[i].at].key, k))
            return s->slot[i].at;
    return 0;
}

static void place(struct hd_set *s, u32 at)
{
    u64 h = hd_key_hash(&s->record[at].key);
    u32 mask = s->n_slots - 1, i = (u32)h & mask;
    while (s->slot[i].at)
        i = (i + 1) & mask;
    s->slot[i] = (struct hd_slot){at, (u32)(h >> 32)};
}

u32 hd_set_insert(struct hd_set *s, const struct hd_key *k)
{
    HD_ASSERT(s->n < UINT32_MAX / 2);
    u32 at = ++s->n;
    if (at == s->cap)
        s->record = allocate(s->record, s->cap *= 2, sizeof *s->record);
    s->record[at] = (struct hd_record){.key = *k};
    if (at < s->n_slots / 4 * 3) {
        place(s, at);
        return at;
    }
    free(s->slot);
    s->n_slots *= 2;
    s->slot = allocate(NULL, s->n_slots, sizeof *s->slot);
    for (u32 i = 1; i <= s->n; i++)
        place(s, i);
    return at;
}

void hd_set_key(struct hd_set *s, const struct hd_element *e, struct hd_key *k)
{
    *k = (struct hd_key){
        .metric = e->metric, .sub = e->sub, .n = e->n, .n_extra = e->n_extra};
    for (u32 i = 0; i < e->n; i++)
        k->site[i] = hd_set_site(s, e->site[i]);
    memcpy(k->extra, e->extra, sizeof k->extra);
}

void hd_set_element(const struct hd_set *s, const struct hd_key *k, struct hd_element *e)
{
    *e = (struct hd_element){
        .metric = k->metric, .sub = k->sub, .n = k->n, .n_extra = k->n_extra};
    for (u32 i = 0; i < k->n; i++)
        e->site[i] = s->site[k->site[i]];
    memcpy(e->extra, k->extra, sizeof k->extra);
}
