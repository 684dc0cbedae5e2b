/* race_class.c: which possible races, or accesses that come between others, are of one kind, and
 * whether one of the kind was ever brought about; see race_case.h. In a suite all inputs of a program share
 * what is known. */
#include "campaign/race/race_case.h"

#define CLASS_VAIN 3 /* driven in vain, one by one, before less is done for the others */
#define MET UINT64_MAX /* instead of their number: one was brought about */

static u64 add_text(u64 h, const char *text)
{
    for (; text && *text; text++)
        h = (h ^ (u8)*text) * 0x100000001b3ull;
    return h;
}

static u64 hash_function(struct hd_explorer *x, u64 pc)
{
    struct hd_srcloc l;
    hd_symbols_code(x->symbols, pc, true, &l, 1);
    return add_text(add_text(0xcbf29ce484222325ull, l.module), l.function);
}

/* The order of the functions does not matter. */
static u64 key_of(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n)
{
    u64 key = (u64)kind + 1;
    for (u32 i = 0; i < n; i++)
        key += hash_function(x, pc[i]) * 0x9e3779b97f4a7c15ull;
    return key;
}

/* How many were driven in vain. */
static u64 *count_of(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n)
{
    return hd_map_ref(x->o->tested ? &x->o->tested->vain : &x->vain, key_of(x, kind, pc, n), 0);
}

enum hd_race_class_is hd_race_class(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n)
{
    u64 vain = *count_of(x, kind, pc, n);
    return vain == MET ? HD_CLASS_MET : vain >= CLASS_VAIN ? HD_CLASS_VAIN : HD_CLASS_OPEN;
}

void hd_race_class_note(struct hd_explorer *x, enum hd_tried_kind kind, const u64 *pc, u32 n, bool is_met)
{
    u64 *vain = count_of(x, kind, pc, n);
    if (is_met)
        *vain = MET;
    else if (*vain != MET)
        ++*vain;
}

/* ---- one place -------------------------------------------------------------------------- */

static u64 *place_of(struct hd_explorer *x, u64 site)
{
    return hd_map_ref(x->o->tested ? &x->o->tested->vain : &x->vain, ~site * 0x9e3779b97f4a7c15ull, 0);
}

void hd_race_places_note(struct hd_explorer *x, const u64 site[2], bool is_met)
{
    for (u32 i = 0; i < 2; i++) {
        u64 *vain = place_of(x, site[i]);
        if (is_met)
            *vain = MET;
        else if (*vain != MET)
            ++*vain;
    }
}

bool hd_race_places_are_vain(struct hd_explorer *x, const u64 site[2])
{
    u64 a = *place_of(x, site[0]), b = *place_of(x, site[1]);
    return a != MET && b != MET && (a >= CLASS_VAIN || b >= CLASS_VAIN);
}

/* ---- the order ------------------------------------------------------------------------- */

enum { ORDERED = 1, OPEN = 2 };

void hd_race_class_order(struct hd_explorer *x)
{
    const struct hd_races *r = x->o->races;
    u64 site[2];
    hd_map_clear(&x->order);
    for (size_t i = 0; x->symbols && i < r->pair.n; i++) {
        const struct hd_race_pair *p = &r->pair.at[i];
        bool is_open = !hd_race_is_hidden(p) || p->is_predicted || (p->is_open && !p->is_fixed);
        if ((is_open || p->is_fixed) && hd_race_sites(x, p, site))
            *hd_map_ref(&x->order, key_of(x, HD_TRIED_PAIR, site, 2), 0) |= is_open ? OPEN : ORDERED;
    }
}

bool hd_race_class_is_ordered(struct hd_explorer *x, const u64 site[2])
{
    return hd_map_get_or(&x->order, key_of(x, HD_TRIED_PAIR, site, 2), 0) == ORDERED;
}
