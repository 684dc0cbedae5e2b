/* passage.c: see passage.h. */
#include "detect/passage.h"

#include "base/vec.h"
#include "event/effect.h"

struct section {
    u64 lock;
    u64 take, give; /* sites; give 0: it is held */
    u16 tid;
};

/* Sections of all threads, the last one of each lock and thread. */
struct sections {
    HD_VEC(struct section) all;
};

static struct section *find(struct sections *s, u16 tid, u64 lock)
{
    for (size_t i = 0; i < s->all.n; i++)
        if (s->all.at[i].tid == tid && s->all.at[i].lock == lock)
            return &s->all.at[i];
    return NULL;
}

static void follow(struct sections *s, const struct hd_event *e)
{
    u32 effects = hd_effects(e);
    if (!(effects & (HD_TAKES | HD_GIVES)))
        return;
    struct section *is = find(s, e->tid, e->obj);
    if (effects & HD_TAKES) {
        if (!is)
            is = hd_vec_add(&s->all);
        *is = (struct section){e->obj, e->site, 0, e->tid};
    } else if (is) {
        is->give = e->site;
    }
}

/* What `tid` holds now is a lock that `other` released before `end` of its list. */
static bool compare(struct sections *now, u16 tid, struct sections *then, u16 other,
                    struct hd_passage *out)
{
    for (size_t i = 0; i < now->all.n; i++) {
        const struct section *held = &now->all.at[i];
        if (held->tid != tid || held->give)
            continue;
        const struct section *passed = find(then, other, held->lock);
        if (passed && passed->give) {
            out->take = held->take;
            out->give = passed->give;
            return true;
        }
    }
    return false;
}

static bool is_access(const struct hd_event *e, u64 site)
{
    return e->site == site && hd_space_of(e->kind) == HD_SPACE_MEMORY &&
           hd_effects(e) & (HD_READS | HD_WRITES);
}

bool hd_passage_find(const struct hd_event *ev, u32 n, const u64 site[2], struct hd_passage *out)
{
    struct sections at[2] = {{{0}}}; /* at the first access of each */
    bool has[2] = {false, false}, is_found = false;
    u16 tid[2] = {0, 0};
    for (u32 i = 0; i < n && !(has[0] && has[1]); i++) {
        for (u32 k = 0; k < 2; k++)
            if (!has[k] && is_access(&ev[i], site[k]) && !(has[!k] && tid[!k] == ev[i].tid)) {
                has[k] = true;
                tid[k] = ev[i].tid;
                break; /* of one site the next thread is the other one */
            }
        for (u32 k = 0; k < 2; k++)
            if (!has[k] || ev[i].tid != tid[k])
                follow(&at[k], &ev[i]);
    }
    for (u32 k = 0; k < 2 && has[0] && has[1] && !is_found; k++) {
        is_found = compare(&at[k], tid[k], &at[!k], tid[!k], out);
        out->inside = k;
    }
    hd_vec_release(&at[0].all);
    hd_vec_release(&at[1].all);
    return is_found;
}

u32 hd_passage_begin(const struct hd_event *ev, u32 i)
{
    u32 begin = i, given = 0; /* locks that it gave back on the way */
    for (u32 k = i; k-- > 0;) {
        u32 effects = ev[k].tid == ev[i].tid ? hd_effects(&ev[k]) : 0;
        given += effects & HD_GIVES && !(effects & HD_TAKES);
        if (effects & HD_TAKES && given)
            given--;
        else if (effects & HD_TAKES)
            begin = k;
    }
    return begin;
}
