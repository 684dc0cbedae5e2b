/* races.c: see races.h. */
#include "detect/races.h"

#include "observe/race/race_possible.h"

void hd_races_init(struct hd_races *r)
{
    *r = (struct hd_races){0};
    hd_map_init(&r->number);
    hd_map_init(&r->variables);
}

void hd_races_release(struct hd_races *r)
{
    hd_vec_release(&r->pair);
    hd_map_release(&r->number);
    hd_map_release(&r->variables);
    hd_triples_release(&r->triples);
    hd_twos_release(&r->twos);
    hd_lock_orders_release(&r->locks);
}

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* Both orders of two sites are one pair. */
static u64 sites_of(const struct hd_race_seen *s)
{
    return mix(mix(1, HD_MIN(s->site[0], s->site[1])), HD_MAX(s->site[0], s->site[1]));
}

/* An array may be thousands of variables: from some number on they are one. */
static u64 variable_of(struct hd_races *r, const struct hd_race_seen *s, bool is_fixed)
{
    u64 sites = sites_of(s), key = mix(sites, s->addr) | 1;
    if (!is_fixed)
        return 0;
    if (hd_map_get(&r->number, key))
        return s->addr;
    u64 *n = hd_map_ref(&r->variables, sites | 1, 0);
    return (*n)++ < HD_RACES_VARIABLES ? s->addr : 0;
}

static struct hd_race_pair *find(struct hd_races *r, const struct hd_race_seen *s, bool is_fixed)
{
    u64 var = variable_of(r, s, is_fixed);
    u64 *number = hd_map_ref(&r->number, mix(sites_of(s), var) | 1, 0);
    if (*number)
        return &r->pair.at[*number - 1];
    if (r->pair.n >= HD_RACES_MOST || (s->hidden && r->n_hidden >= HD_RACES_HIDDEN)) {
        r->lost += !s->hidden;
        return NULL;
    }
    *hd_vec_add(&r->pair) = (struct hd_race_pair){.is = *s, .var = var};
    *number = r->pair.n;
    r->n_hidden += s->hidden != 0;
    return hd_vec_last(&r->pair);
}

/* The better example; what is known of the order of the two goes by it. */
static void show(struct hd_race_pair *p, const struct hd_race_seen *s)
{
    if (s->site[0] != p->is.site[0]) {
        u32 other = p->order[0];
        p->order[0] = p->order[1];
        p->order[1] = other;
    }
    p->is = *s;
}

void hd_races_add(struct hd_races *r, const struct hd_race_seen *s, bool is_fixed)
{
    if (s->third) {
        hd_triples_add(&r->triples, s, is_fixed);
        return;
    }
    struct hd_race_pair *p = find(r, s, is_fixed);
    if (!p)
        return;
    if (s->hidden) {
        p->hidden[s->hidden == HD_RACE_BY_ATOMIC]++;
        return;
    }
    if (!p->times || (s->is_pending && !p->pending) ||
        (s->edge.store && !p->is.edge.store && !p->pending))
        show(p, s);
    p->times++;
    p->pending += s->is_pending;
    p->weak += s->is_weak;
    p->carried += s->is_carried;
    p->schedulable += s->is_schedulable;
    p->order[s->site[0] != p->is.site[0]]++;
}
