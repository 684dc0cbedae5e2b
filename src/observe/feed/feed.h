/* feed.h: the event stream of one run, prepared once for all observers: what
 * the event does, to which objects, and who touched them last.
 *
 *   hd_feed_decode the event's objects; tables are as *before* the event
 *   observers      read the tables
 *   hd_feed_done   the event enters the tables
 *
 * An *object* is a sync object, or a range of bytes of one granule (8 bytes)
 * that has always been accessed as a whole; an access that covers half of an
 * object splits it. So accesses to different bytes never meet, wide accesses
 * touch several objects, and observers need no byte masks:
 *
 *   granule -> object(bytes 0-3) -> object(bytes 4-7)
 *                 \-> hd_last(T1) -> hd_last(T4)    one per thread, at most
 *                                                   hd_feed.history of them
 */
#ifndef HD_FEED_H
#define HD_FEED_H

#include "base/vec.h"
#include "event/event.h"
#include "observe/element.h"

enum hd_what {
    HD_DOES_NOTHING, /* also: attempts that failed */
    HD_DOES_READ,
    HD_DOES_WRITE,
    HD_DOES_RMW,
    HD_DOES_ACQ,     /* takes a lock */
    HD_DOES_REL,     /* gives it up */
    HD_DOES_WAIT,    /* begins to wait (condition, futex) */
    HD_DOES_WOKEN,   /* goes on because of a wake (also semaphore, barrier, once) */
    HD_DOES_WAKE,    /* wakes, posts, arrives at a barrier, ends a once */
    HD_DOES_ORDER,   /* create, start, exit, join; fence */
    HD_DOES_PASS,    /* enters or leaves a function */
    HD_DOES_COUNT
};
#define HD_WANTS_MEMORY (1u << HD_DOES_READ | 1u << HD_DOES_WRITE | 1u << HD_DOES_RMW)
#define HD_WANTS_SYNC                                                                              \
    (1u << HD_DOES_ACQ | 1u << HD_DOES_REL | 1u << HD_DOES_WAIT | 1u << HD_DOES_WOKEN |            \
     1u << HD_DOES_WAKE)
#define HD_WANTS_ALL ((1u << HD_DOES_COUNT) - 1)

/* One past event on an object. */
struct hd_touch {
    u32 now;  /* its number in the run, 0 = there was none */
    u32 time; /* its number in its thread */
    u32 site; /* interned */
    u32 ctx;
};

enum {
    HD_LAST_R_FLAG = 1, /* .r was atomic (memory) or in shared mode (lock) */
    HD_LAST_W_FLAG = 2, /* .w likewise */
    HD_LAST_W_NONE = 4, /* .w is a compare-exchange that changed nothing */
};

/* What one thread last did to one object. For sync objects .r holds taking,
 * waiting, being woken; .w giving up, waking. */
struct hd_last {
    struct hd_touch r, w;
    u32 recent[4]; /* `now` of its latest touches, a ring; the beginning of a wait
                      is none, so that the end of it follows what came before */
    u32 next;      /* 0 = end */
    u16 tid;
    u8 flags;
    u8 pos;        /* of the oldest in the ring */
    u64 padding;   /* one entry, one cache line */
};
_Static_assert(sizeof(struct hd_last) == 64, "cache line");

struct hd_feed_object {
    u64 generation; /* never the same for two generations of any objects, > 0 */
    u32 next;    /* in the granule; in the free list */
    u32 first;   /* struct hd_last */
    u32 recent;  /* whose touch was the latest; 0 = none */
    u32 writer;  /* whose .w is the latest; 0 = none */
    u16 holder;  /* of a lock, exclusively, or HD_NO_THREAD */
    u8 mask;     /* bytes of the granule; sync: the byte it starts at */
    u8 n;        /* threads in the list */
    bool is_sync;
    bool is_recursive; /* by its type, or taken again by its holder once at least */
};

struct hd_feed_lock {
    u64 generation;
    u32 obj;
    u16 depth;
    bool is_shared;
};

struct hd_feed_thread {
    u32 time;             /* events so far */
    u32 locks_changed;    /* `now` of the last change of `held` */
    struct hd_touch wait; /* its COND_WAIT, until it takes a lock again */
    HD_VEC(struct hd_feed_lock) held;
};

/* Granules that lie together stay together: programs walk through memory, and a
 * page is a line or two of cache. */
#define HD_FEED_PAGE 32
struct hd_feed_page {
    u64 number;              /* granule / HD_FEED_PAGE */
    u32 first[HD_FEED_PAGE]; /* object, 0 = none */
};

struct hd_feed_slot {
    u32 page;
    u32 stamp; /* not the feed's: slot is free */
};

#define HD_FEED_RECENT 256

#define HD_FEED_PARTS 64 /* objects one event can touch; the rest is left out */
#define HD_FEED_WIDE 256 /* bytes of one access that count; for races see observe/race/race_wide.h */

struct hd_part {
    u32 obj;
    u32 own; /* struct hd_last of the thread, made if need be; 0 = history is 0 */
};

/* The event being looked at. */
struct hd_seen {
    const struct hd_event *ev;
    u32 now, time; /* its number in the run and in its thread, from 1 */
    u32 site;      /* interned */
    u16 tid;
    u8 what;       /* enum hd_what */
    bool flag;     /* atomic access, or lock in shared mode */
    bool is_nested; /* lock taken or released by a thread that holds it anyway */
    u32 n;
    struct hd_part part[HD_FEED_PARTS];
};

struct hd_feed {
    struct hd_set *set;
    u32 history;        /* threads per object; 0 = what they last did is of no interest */
    u32 now;
    u32 stamp;
    u64 generations;
    struct hd_feed_slot *slot;     /* by the number of the page */
    u32 n_slots;
    struct hd_feed_page *page;     /* [0] is nobody's */
    u32 n_pages, cap_pages;
    u32 recent[HD_FEED_RECENT];    /* pages, by bits of their numbers */
    struct hd_feed_object *object; /* [0] unused */
    u32 n_objects, cap_objects, free_object;
    struct hd_last *last;          /* [0] stays zero */
    u32 n_lasts, cap_lasts, free_last;
    struct hd_feed_thread *thread;
    u32 n_threads, cap_threads;
    struct hd_seen seen;
    /* Object `to` is made of bytes of `from` and has its history. */
    void (*split)(void *self, u32 from, u32 to);
    void *self;
};

void hd_feed_init(struct hd_feed *f, struct hd_set *set, u32 history);
void hd_feed_release(struct hd_feed *f);
void hd_feed_begin(struct hd_feed *f);
/* Tables that grew large in the run that is over go back to the system. Objects are forgotten. */
void hd_feed_rest(struct hd_feed *f);
/* Events were left out: nobody holds a lock; is_all: and all objects begin new lives. Numbers
 * go on. */
void hd_feed_gap(struct hd_feed *f, bool is_all);
const struct hd_seen *hd_feed_decode(struct hd_feed *f, const struct hd_event *ev);
/* ... by a caller that knows the interned site. */
const struct hd_seen *hd_feed_decode_at(struct hd_feed *f, const struct hd_event *ev, u32 site);
void hd_feed_done(struct hd_feed *f);
/* The page of a number (granule / HD_FEED_PAGE), 0 if nothing in it has been touched. */
u32 hd_feed_find_page(const struct hd_feed *f, u64 number);
/* The sync object at an address, 0 if it has not been used. */
u32 hd_feed_sync(const struct hd_feed *f, u64 addr);

/* What thread tid last did to the object; an entry that is all zero if it is
 * not known to have touched it. */
const struct hd_last *hd_feed_last(const struct hd_feed *f, u32 obj, u16 tid);
/* Certain that the thread did not touch the object strictly between the two? */
bool hd_feed_is_untouched(const struct hd_feed *f, u32 obj, u16 tid, u32 from, u32 to);

HD_INLINE u32 hd_last_now(const struct hd_last *l) { return HD_MAX(l->r.now, l->w.now); }

/* The latest touch that is no beginning of a wait. */
HD_INLINE u32 hd_last_touch(const struct hd_last *l) { return l->recent[(l->pos - 1) & 3]; }

/* Loop over what each thread last did to object o. */
#define HD_LAST_EACH(l, f, o)                                                                      \
    for (const struct hd_last *l = &(f)->last[(o)->first]; l != (f)->last;                         \
         l = &(f)->last[l->next])

#endif
