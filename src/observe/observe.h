/* observe.h: how a coverage metric is written: one file, one row in observe.def.
 *
 * An observer sees the events of one run in order, each prepared by the feed
 * (feed.h: objects, who touched them last, locks held), and says which elements
 * they show. It need not remember what it has said: hd_observe_add is cheap for
 * an element already met in this run. Users of coverage want coverage.h.
 *
 * Ground rules: pure; no I/O, no threads, no globals. State that belongs to an
 * object is an array by object number with the object's `generation` next to it: if
 * they differ, the state is another object's history and counts as empty.
 */
#ifndef HD_OBSERVE_H
#define HD_OBSERVE_H

#include "observe/element.h"
#include "observe/feed/feed.h"

struct hd_race_seen;
struct hd_lock_order_seen;
struct hd_two_seen;

struct hd_observe_config {
    u64 metrics; /* bit (1 << HD_METRIC_x) each; 0 = all */
    u32 window;  /* vulnerability window: steps of a thread; 0 = 1000 */
    u32 history; /* threads remembered per object; 0 = 16 */
    bool only_pairs; /* iroot: idiom 1 alone, which costs the least */
    /* Number of the function a site is in; NULL = the site itself. Asked once
     * per site. */
    u64 (*function)(void *self, u64 site);
    /* First time in this run that the element is met; is_new: first time ever.
     * May be NULL. Must not call back into the coverage. */
    void (*sink)(void *self, const struct hd_element *e, bool is_new);
    void *self;
    /* Two accesses race, each time that happens (race.h). May be NULL. */
    void (*race)(void *self, const struct hd_race_seen *r);
    /* Threads could wait for each other's locks (lock_order.h). NULL if race is. */
    void (*lock_order)(void *self, const struct hd_lock_order_seen *l);
    /* Two variables seen by one thread before and after another one was at both (race_two.h). */
    void (*two)(void *self, const struct hd_two_seen *s);
    void *race_self;
};
#define HD_WINDOW_DEFAULT 1000
#define HD_HISTORY_DEFAULT 16

struct hd_metric_count {
    u64 covered;                   /* elements ever met */
    u64 in_run;                    /* distinct ones in this run */
    u64 new_in_run;                /* of these never met before */
    u64 by_sub[HD_ELEMENT_SUBS];   /* covered, by sub */
    u64 last_new_run;              /* run that showed the last new one */
    double last_new_seconds;
};

/* Most elements are a pair of sites, or of elements met before, and the same few
 * come again and again: caches in front of the set. Tags are exact; they start
 * empty with every run, so what is in them has been met in this run. */
struct hd_memo_pair {
    u64 tag;
    u32 at; /* record */
};

#define HD_MEMO_PAIRS 1024
struct hd_memo {
    struct hd_memo_pair pair[HD_MEMO_PAIRS]; /* of sites */
    u64 *tag;                                /* pairs of elements */
    u32 cap, n_pairs, n_tags; /* of `tag`, power of two; written in this run */
};

/* What all observers share. */
struct hd_observing {
    struct hd_observe_config cfg;  /* defaults filled in */
    struct hd_set set;
    struct hd_feed feed;
    struct hd_memo memo;
    struct hd_metric_count count[HD_METRIC_COUNT];
    u64 run;
    double seconds;                /* of the campaign, when the run began */
    HD_VEC(u32) met;               /* records this run has met, in order of appearance */
    HD_VEC(u32) fresh;             /* ... for the first time since init; one that was only
                                      loaded counts, too */
    u32 changes;                   /* counts up when anything changes that an observer keeps
                                      over runs, besides the set */
};

/* A thread that stands still for ever because the run ended in a deadlock:
 * what it wants. */
struct hd_blocked {
    u16 tid;
    u32 obj, site, time; /* object of the feed, interned site, its thread's clock */
};

struct hd_observer {
    size_t state;  /* bytes, zeroed before init */
    u32 wants;     /* bits (1 << HD_DOES_x) of the events it is called for */
    /* All but `event` may be NULL. */
    void (*init)(void *state, struct hd_observing *io);
    /* A run begins, or a stretch of it: events before were left out. */
    void (*begin)(void *state, struct hd_observing *io);
    void (*event)(void *state, struct hd_observing *io, const struct hd_seen *s);
    void (*split)(void *state, struct hd_observing *io, u32 from, u32 to);
    /* The run ended with these threads waiting for each other. */
    void (*blocked)(void *state, struct hd_observing *io, const struct hd_blocked *b, u32 n);
    void (*end)(void *state, struct hd_observing *io);
    void (*release)(void *state);
    /* An element that came from elsewhere (store, merge). */
    void (*learn)(void *state, struct hd_observing *io, const struct hd_key *k);
    /* How many elements there could be, 0 = not known. */
    u64 (*possible)(const void *state);
};

/* By index in observe.def. */
const struct hd_observer *hd_observer_at(u32 metric);

/* The slow half of hd_observe_add. `at`: its record, 0 = none yet. */
u32 hd_observe_first(struct hd_observing *io, const struct hd_key *k, u32 at);

/* ---- caches: what a pair (a, b) of sites or records shows under a sub ------------ */

void hd_memo_begin(struct hd_memo *m);
void hd_memo_grow(struct hd_memo *m);

/* 0 = too large a number, in no cache. */
HD_INLINE u64 hd_memo_tag(u8 metric, u8 sub, u32 a, u32 b)
{
    bool fits = (a | b) < 1u << 27;
    return fits ? (u64)a << 37 | (u64)b << 10 | (u64)sub << 5 | (metric + 1u) : 0;
}

HD_INLINE u32 hd_memo_home(u64 tag, u32 cap)
{
    return (u32)(tag * 0x9e3779b97f4a7c15ull >> 32) & (cap - 1);
}

/* Record of a pair of sites, 0 = not there. */
HD_INLINE u32 hd_memo_pair(const struct hd_memo *m, u64 tag)
{
    const struct hd_memo_pair *p = &m->pair[hd_memo_home(tag, HD_MEMO_PAIRS)];
    return p->tag == tag && tag ? p->at : 0;
}

HD_INLINE void hd_memo_put_pair(struct hd_memo *m, u64 tag, u32 at)
{
    m->n_pairs++;
    m->pair[hd_memo_home(tag, HD_MEMO_PAIRS)] = (struct hd_memo_pair){tag, at};
}

HD_INLINE bool hd_memo_has(const struct hd_memo *m, u64 tag)
{
    return m->tag[hd_memo_home(tag, m->cap)] == tag && tag;
}

HD_INLINE void hd_memo_put(struct hd_memo *m, u64 tag)
{
    if (HD_UNLIKELY(m->n_tags++ >= m->cap))
        hd_memo_grow(m);
    m->tag[hd_memo_home(tag, m->cap)] = tag;
}

/* ---- showing elements --------------------------------------------------------- */

/* This run shows element k (canonical). Returns its record. */
HD_INLINE u32 hd_observe_add(struct hd_observing *io, const struct hd_key *k)
{
    u32 at = hd_set_find(&io->set, k);
    if (HD_UNLIKELY(!at || io->set.record[at].stamp != io->set.stamp))
        at = hd_observe_first(io, k, at);
    return at;
}

/* The same for an element of two sites and nothing else. */
HD_INLINE u32 hd_observe_pair(struct hd_observing *io, u8 metric, u8 sub, u32 a, u32 b)
{
    u64 tag = hd_memo_tag(metric, sub, a, b);
    u32 at = hd_memo_pair(&io->memo, tag);
    if (HD_UNLIKELY(!at)) {
        struct hd_key k = {.metric = metric, .sub = sub, .n = 2, .site = {a, b}};
        at = hd_observe_add(io, &k);
        hd_memo_put_pair(&io->memo, tag, at);
    }
    return at;
}

/* For metrics whose pairs have no order: the smaller site first. */
HD_INLINE void hd_observe_both(struct hd_observing *io, u8 metric, u8 sub, u32 a, u32 b)
{
    bool is_swapped = io->set.site[b] < io->set.site[a];
    hd_observe_pair(io, metric, sub, is_swapped ? b : a, is_swapped ? a : b);
}

/* ---- helpers for state by object ------------------------------------------------ */

void *hd_observe_grow(void *at, u32 *cap, u32 i, size_t size);
/* Room for index `i` in a zeroed array of `size`-byte states. */
HD_INLINE void *hd_observe_room(void *at, u32 *cap, u32 i, size_t size)
{
    return HD_LIKELY(i < *cap) ? at : hd_observe_grow(at, cap, i, size);
}


#endif
