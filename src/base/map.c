/* map.c: see map.h. Host only: empty when built for the target, where there is
 * no malloc to use. */
#ifndef HD_TARGET
#include "base/map.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 16 };

/* Keys are addresses and small numbers: all bits must reach the low ones. */
static size_t home(const struct hd_map *m, u64 key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15ull;
    key ^= key >> 29;
    key *= 0xbf58476d1ce4e5b9ull;
    key ^= key >> 32;
    return (size_t)key & (m->cap - 1);
}

static bool is_used(const struct hd_map *m, size_t i)
{
    return m->used[i >> 6] >> (i & 63) & 1;
}

static void set_used(struct hd_map *m, size_t i)
{
    m->used[i >> 6] |= (u64)1 << (i & 63);
}

static void clear_used(struct hd_map *m, size_t i)
{
    m->used[i >> 6] &= ~((u64)1 << (i & 63));
}

/* Slot of the key, or the free slot where it would go. Pre: cap > 0. */
static size_t find(const struct hd_map *m, u64 key)
{
    size_t i = home(m, key);
    while (is_used(m, i) && m->slot[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void grow(struct hd_map *m)
{
    struct hd_map old = *m;
    HD_ASSERT(old.cap <= SIZE_MAX / 4 / sizeof(*m->slot));
    m->cap = old.cap ? old.cap * 2 : SMALLEST;
    m->slot = malloc(m->cap * sizeof(*m->slot));
    m->used = calloc(HD_BITS_WORDS(m->cap), sizeof(*m->used));
    HD_ASSERT(m->slot && m->used);
    for (size_t i = 0; i < old.cap; i++) {
        if (is_used(&old, i)) {
            size_t to = find(m, old.slot[i].key);
            m->slot[to] = old.slot[i];
            set_used(m, to);
        }
    }
    free(old.slot);
    free(old.used);
}

void hd_map_init(struct hd_map *m)
{
    *m = (struct hd_map){0};
}

void hd_map_release(struct hd_map *m)
{
    free(m->slot);
    free(m->used);
    hd_map_init(m);
}

void hd_map_clear(struct hd_map *m)
{
    if (m->cap)
        memset(m->used, 0, HD_BITS_WORDS(m->cap) * sizeof(*m->used));
    m->n = 0;
}

u64 *hd_map_get(const struct hd_map *m, u64 key)
{
    if (m->n == 0)
        return NULL;
    size_t i = find(m, key);
    return is_used(m, i) ? &m->slot[i].value : NULL;
}

bool hd_map_has(const struct hd_map *m, u64 key)
{
    return hd_map_get(m, key) != NULL;
}

u64 hd_map_get_or(const struct hd_map *m, u64 key, u64 otherwise)
{
    const u64 *value = hd_map_get(m, key);
    return value ? *value : otherwise;
}

u64 *hd_map_ref(struct hd_map *m, u64 key, u64 first)
{
    u64 *value = hd_map_get(m, key);
    if (value)
        return value;
    if (m->n + 1 > m->cap / 4 * 3)
        grow(m);
    HD_ASSERT(m->slot);
    size_t i = find(m, key);
    m->slot[i] = (struct hd_map_slot){key, first};
    set_used(m, i);
    m->n++;
    return &m->slot[i].value;
}

bool hd_map_put(struct hd_map *m, u64 key, u64 value)
{
    size_t before = m->n;
    *hd_map_ref(m, key, value) = value;
    return m->n > before;
}

/* The gap is closed by the next follower whose home does not lie behind it,
 * which leaves a gap of its own, and so on to the end of the stretch:
 *
 *   home:     h(c)   gap                   i
 *   slots: ... | .. | -- | d | e | .. | .. | c | -- | ...    c may move to gap
 */
bool hd_map_del(struct hd_map *m, u64 key)
{
    if (m->n == 0)
        return false;
    size_t mask = m->cap - 1, gap = find(m, key);
    if (!is_used(m, gap))
        return false;
    for (size_t i = (gap + 1) & mask; is_used(m, i); i = (i + 1) & mask) {
        size_t way = (i - home(m, m->slot[i].key)) & mask; /* how far from home */
        if (way >= ((i - gap) & mask)) {
            m->slot[gap] = m->slot[i];
            gap = i;
        }
    }
    clear_used(m, gap);
    m->n--;
    return true;
}

bool hd_map_next(const struct hd_map *m, size_t *i, u64 *key, u64 *value)
{
    while (*i < m->cap && !is_used(m, *i))
        ++*i;
    if (*i >= m->cap)
        return false;
    *key = m->slot[*i].key;
    if (value)
        *value = m->slot[*i].value;
    ++*i;
    return true;
}

bool hd_map_is_valid(const struct hd_map *m)
{
    size_t n = 0;
    if ((m->cap & (m->cap - 1)) || m->n > m->cap / 4 * 3)
        return false;
    for (size_t i = 0; i < m->cap; i++) {
        n += is_used(m, i);
        if (is_used(m, i) && find(m, m->slot[i].key) != i)
            return false;
    }
    return n == m->n;
}

#else
typedef int hd_map_is_host_only; /* a file must hold something */
#endif
