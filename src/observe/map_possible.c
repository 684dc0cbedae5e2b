/* map_possible.c: T_C, how many instances of the 17 patterns there could be.
 *
 * The paper sums over variables. Instances are tuples of sites, so two elements
 * of an array would count twice what can be covered once; here a variable is a
 * class of sites: sites met on one shared object are one class. Every instance
 * that can be covered is then counted exactly once, and coverage stays <= 1.
 * The paper's sum over unordered pairs of variables is taken over ordered ones,
 * as its enumeration does; x and y may be two variables of one class.
 */
#include "observe/map.h"

static u64 one_possible(u64 reads, u64 writes)
{
    return 2 * reads * writes + writes * writes + reads * reads * writes +
           3 * reads * writes * writes + writes * writes * writes;
}

static u32 root(const struct hd_mapcov_sites *m, u32 a)
{
    while (m->at[a].up != a) {
        m->at[a].up = m->at[m->at[a].up].up;
        a = m->at[a].up;
    }
    return a;
}

static u32 class_of(struct hd_mapcov_sites *m, u32 a)
{
    m->at = hd_observe_room(m->at, &m->cap, a, sizeof *m->at);
    if (!m->at[a].up)
        m->at[a].up = a;
    return root(m, a);
}

/* One class, which has many variables: there is nothing to be learned from another. */
static bool is_settled(const struct hd_mapcov_sites *m, u32 a, u32 b)
{
    if (a >= m->cap || b >= m->cap)
        return false;
    u32 up = m->at[a].up;
    return up && up == m->at[b].up && m->at[up].up == up && m->at[up].is_many;
}

void hd_mapcov_sites_join(struct hd_mapcov_sites *m, u32 a, u32 b, u64 generation, u64 run)
{
    if (is_settled(m, a, b))
        return;
    u32 x = class_of(m, a), y = class_of(m, b);
    struct hd_mapcov_site *r = &m->at[x], *q = &m->at[y];
    bool is_many = r->is_many || q->is_many ||
                   (q->run == run && q->generation && q->generation != generation) ||
                   (r->run == run && r->generation && r->generation != generation);
    m->changes += x != y || is_many != r->is_many;
    r->is_many = is_many;
    q->up = x;
    r->generation = generation;
    r->run = run;
}

void hd_mapcov_sites_does(struct hd_mapcov_sites *m, u32 a, u8 does)
{
    if (a < m->cap && (m->at[a].does & does) == does)
        return;
    class_of(m, a);
    m->changes += (m->at[a].does | does) != m->at[a].does;
    m->at[a].does |= does;
}

void hd_mapcov_sites_many(struct hd_mapcov_sites *m, u32 x, u32 y)
{
    x = class_of(m, x);
    if (x == class_of(m, y))
        m->at[x].is_many = true;
}

static u64 limited(unsigned __int128 x)
{
    return x > UINT64_MAX ? UINT64_MAX : (u64)x;
}

/* Sums over ordered pairs of classes: (sum f)^2 has all pairs, those of a class
 * with itself are taken out unless it has two variables. */
u64 hd_mapcov_sites_possible(const struct hd_mapcov_sites *m)
{
    struct {
        u32 reads, writes;
    } *n = NULL;
    u32 cap = 0;
    unsigned __int128 one = 0, ww = 0, rw = 0, two = 0;
    n = hd_observe_room(n, &cap, m->cap, sizeof *n);
    for (u32 a = 1; a < m->cap; a++) {
        if (!m->at[a].up)
            continue;
        u32 r = root(m, a);
        n[r].reads += m->at[a].does & HD_MAPCOV_READS ? 1 : 0;
        n[r].writes += m->at[a].does & HD_MAPCOV_WRITES ? 1 : 0;
    }
    for (u32 a = 1; a < m->cap; a++) {
        if (m->at[a].up != a)
            continue;
        u64 r = n[a].reads, w = n[a].writes;
        one += one_possible(r, w);
        ww += (unsigned __int128)w * w;
        rw += (unsigned __int128)r * w;
        if (!m->at[a].is_many)
            two -= 3 * (unsigned __int128)w * w * w * w + 6 * (unsigned __int128)r * w * r * w;
    }
    two += 3 * ww * ww + 6 * rw * rw;
    free(n);
    return limited(one + two);
}
