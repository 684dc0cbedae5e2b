/* lockset.c: see lockset.h. */
#include "predict/lockset.h"

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

void hd_locksets_init(struct hd_locksets *l)
{
    *l = (struct hd_locksets){0};
    hd_locksets_clear(l);
}

void hd_locksets_release(struct hd_locksets *l)
{
    hd_vec_release(&l->set);
    hd_vec_release(&l->member);
    hd_map_release(&l->number);
}

void hd_locksets_clear(struct hd_locksets *l)
{
    hd_vec_clear(&l->set);
    hd_vec_clear(&l->member);
    hd_map_clear(&l->number);
    *hd_vec_add(&l->set) = (struct hd_lockset){0};
}

static bool is_same(const struct hd_locksets *l, u32 set, const struct hd_member *m, u32 n)
{
    const struct hd_lockset *s = &l->set.at[set];
    if (s->n != n)
        return false;
    for (u32 i = 0; i < n; i++)
        if (l->member.at[s->at + i].lock != m[i].lock ||
            l->member.at[s->at + i].is_shared != m[i].is_shared)
            return false;
    return true;
}

u32 hd_lockset_number(struct hd_locksets *l, const struct hd_member *m, u32 n)
{
    u64 h = n, bloom = 0;
    const u64 *found;
    if (!n)
        return 0;
    for (u32 i = 0; i < n; i++) {
        h = mix(h, (u64)m[i].lock << 1 | m[i].is_shared);
        bloom |= (u64)1 << (mix(0, m[i].lock) & 63);
    }
    for (; (found = hd_map_get(&l->number, h)); h++)
        if (is_same(l, (u32)*found, m, n))
            return (u32)*found;
    hd_map_put(&l->number, h, l->set.n);
    *hd_vec_add(&l->set) = (struct hd_lockset){(u32)l->member.n, n, bloom};
    for (u32 i = 0; i < n; i++)
        *hd_vec_add(&l->member) = m[i];
    return (u32)l->set.n - 1;
}

struct hd_common hd_lockset_common_slow(const struct hd_locksets *l, u32 a, u32 b)
{
    const struct hd_lockset *x = &l->set.at[a], *y = &l->set.at[b];
    const struct hd_member *m = l->member.at + x->at, *k = l->member.at + y->at;
    struct hd_common c = {0, 0};
    for (u32 i = 0, j = 0; i < x->n && j < y->n;) {
        if (m[i].lock < k[j].lock) {
            i++;
        } else if (m[i].lock > k[j].lock) {
            j++;
        } else {
            if (!m[i].is_shared || !k[j].is_shared) {
                c.a |= 1u << i;
                c.b |= 1u << j;
            }
            i++;
            j++;
        }
    }
    return c;
}
