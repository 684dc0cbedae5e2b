/* repeat.c: see repeat.h. */
#include "runtime/news/repeat.h"

#include "event/effect.h"

#define PROBES 8u
#define COUNT 7u /* the lowest bits of a slot */
_Static_assert(HD_REPEAT_TIMES <= COUNT, "bits");

static u64 mix(u64 h, u64 x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* Counts it in a table of `n` slots; true: not more often than HD_REPEAT_TIMES so far. */
static bool is_rare(u32 *table, u32 n, u64 h)
{
    u32 tag = (u32)(h >> 32) & ~COUNT, at = (u32)h & (n - 1);
    tag = tag ? tag : COUNT + 1;
    for (u32 i = 0; i < PROBES; i++, at = (at + 1) & (n - 1)) {
        if (table[at] && (table[at] & ~COUNT) != tag)
            continue;
        u32 times = table[at] & COUNT;
        if (times >= HD_REPEAT_TIMES)
            return false;
        table[at] = tag | (times + 1);
        return true;
    }
    return false;
}

void hd_repeat_lock(struct hd_repeat *r, const struct hd_event *ev)
{
    u32 effects = hd_effects(ev);
    struct hd_repeat_thread *t = &r->thread[ev->tid % HD_MAX_THREADS];
    if (effects & HD_TAKES)
        t->lock[t->depth++ % HD_REPEAT_LOCKS] = (u32)mix(0, ev->site);
    else if (effects & HD_GIVES && t->depth)
        t->depth--;
}

static u64 locks_of(const struct hd_repeat_thread *t)
{
    u64 h = t->depth;
    for (u32 i = 0; i < HD_REPEAT_LOCKS && i < t->depth; i++)
        h = mix(h, t->lock[(t->depth - 1 - i) % HD_REPEAT_LOCKS]);
    return h;
}

/* Who touched the object last; from now on this event did. */
static u64 relation(struct hd_repeat *r, const struct hd_event *ev)
{
    u64 object = mix(hd_space_of(ev->kind), ev->obj >> 3);
    struct hd_repeat_last *l = &r->last[(object >> 40) & (HD_REPEAT_OBJECTS - 1)];
    bool is_known = l->is_set && l->object == (u32)object;
    u64 h = is_known ? mix(1 + (l->tid != ev->tid), l->site) : 0;
    *l = (struct hd_repeat_last){(u32)object, (u32)mix(0, ev->site), ev->tid, 1};
    return h;
}

bool hd_repeat_is_news(struct hd_repeat *r, const struct hd_event *ev)
{
    u32 effects = hd_effects(ev);
    u64 site = mix(ev->kind | (u64)!effects << 8, ev->site), h = mix(site, ev->ctx);
    h = mix(h, locks_of(&r->thread[ev->tid % HD_MAX_THREADS]));
    h = mix(h, relation(r, ev));
    hd_repeat_lock(r, ev);
    bool is_news = is_rare(r->kind, HD_REPEAT_KINDS, h);
    return is_rare(r->site, HD_REPEAT_SITES, site) || is_news;
}
