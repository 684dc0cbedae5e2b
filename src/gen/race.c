/* race.c: data races between calls of an API that is said to be thread-safe. Runs with threads
 * show them on the way; those that were seen with both threads at their accesses are kept with
 * the test that showed them, and become findings at the end if nothing else was found: as programs
 * of their own (prove.c), where campaign/races.c brings them about and tells what they do. */
#include "gen/gen.h"

#include "base/stop.h"

bool hd_gen_races_wanted(const struct hd_gen *g)
{
    return g->api->contract == HD_GEN_THREAD_SAFE && !g->o->no_race;
}

void hd_gen_races_open(struct hd_gen *g)
{
    struct hd_gen_races *r = &g->races;
    hd_races_init(&r->now);
    r->is_on = hd_gen_races_wanted(g);
    if (r->is_on)
        hd_cover_races(g->cover, &r->now);
}

void hd_gen_races_release(struct hd_gen *g)
{
    hd_races_release(&g->races.now);
    hd_map_release(&g->races.known);
}

/* Which of the two comes first does not matter. */
static u64 key_of(const struct hd_race_pair *p)
{
    u64 a = HD_MIN(p->is.site[0], p->is.site[1]), b = HD_MAX(p->is.site[0], p->is.site[1]);
    return (a * 0x9e3779b97f4a7c15ull ^ b) | 1;
}

bool hd_gen_races_took(struct hd_gen *g, const struct hd_wire_test *t)
{
    struct hd_gen_races *r = &g->races;
    bool is_wanted = false;
    if (!r->now.pair.n)
        return false;
    for (size_t i = 0; i < r->now.pair.n; i++) {
        u64 key = key_of(&r->now.pair.at[i]);
        if (!r->now.pair.at[i].pending)
            continue;
        is_wanted |= key == r->wanted;
        if (hd_map_put(&r->known, key, 1) && r->n < HD_GEN_RACES)
            r->at[r->n++] = (struct hd_gen_race){.test = *t, .key = key};
    }
    hd_races_release(&r->now);
    hd_races_init(&r->now);
    return is_wanted;
}

/* The same two sites in a smaller test; and what that showed besides is known by then, too. */
int hd_gen_races_report(struct hd_gen *g, struct hd_error *err)
{
    struct hd_gen_races *r = &g->races;
    int e = 0;
    for (u32 i = 0; i < r->n && !e && !g->is_stopped && !hd_stop_is_due(); i++) {
        struct hd_wire_test t = r->at[i].test;
        struct hd_gen_outcome got = {.verdict = HD_V_CLEAN}, again;
        bool is_proven = false;
        if (g->result->n_findings && !g->o->keep_going)
            break;
        r->wanted = r->at[i].key;
        if (hd_gen_try(g, &t, HD_GEN_RETRY, &again, err) == HD_GEN_WRONG_RACE)
            e = hd_gen_shrink(g, &t, HD_GEN_WRONG_RACE, &got, err);
        r->wanted = 0;
        if (!e)
            e = hd_gen_prove(g, &t, HD_GEN_WRONG_RACE, &got, &is_proven, err);
        g->result->n_findings += is_proven;
        g->result->n_unconfirmed += !is_proven;
    }
    return e;
}
