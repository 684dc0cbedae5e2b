/* history.h: who touched what, under which locks and where in the order; and
 * which accesses of two threads could directly follow each other (idiom 1 of
 * Maple, online).
 *
 *   object -> chain(T1) -> chain(T4)      one per thread that touched it
 *               |-> pending read, pending write    not judged yet
 *               |-> node -> node -> ...            judged, newest first: what writes,
 *               \-> node -> node -> ...            ... and what does not
 *
 * Edges a -> b: some schedule could show b directly after a.
 */
#ifndef HD_HISTORY_H
#define HD_HISTORY_H

#include "predict/must.h"

/* A *node* is a condensed access: all accesses of one thread to one object from
 * one site in the same position in the order and under locks; in a long run one that
 * is like many before it is none (history_repeat.c). It is judged late,
 * when it is known what its thread did to the object next: a read at the
 * thread's next access, a write at its next write, both when the object or the
 * thread ends. Then it is compared with the nodes of the other threads, once.
 */
enum hd_access {
    HD_ACC_READ,
    HD_ACC_WRITE,
    HD_ACC_UPDATE, /* atomic read-modify-write: one access, reads and writes */
    HD_ACC_ACQ,    /* takes a lock */
    HD_ACC_REL,
    HD_ACC_WOKEN,  /* goes on because of a wake */
    HD_ACC_WAKE,
    HD_ACC_COUNT
};

/* One executed instance. */
struct hd_instance {
    u32 ctx;
    u32 nth;  /* of (site, ctx) in its thread, from 1; 0 = not known, there was a gap before */
    u32 time; /* of its thread */
};

/* What it does, and under which locks. Masks: bits of the lockset. "Any" speaks of accesses to the object by
 * the same thread, "write" of those that write (give up, wake). Compared as words. */
struct hd_does {
    u32 site;        /* interned */
    u32 lockset;
    u32 first_any;   /* no access before it in the critical section of that lock */
    u32 first_write; /* no write before it */
    u32 last_any, last_write;
    u32 extra;       /* ACQ: site of the thread's ACQ before; REL: of the ACQ it ends */
    u16 tid;
    u8 kind;         /* enum hd_access */
    bool is_shared;
};
_Static_assert(sizeof(struct hd_does) == 32, "compared as words");

/* There can be one for each event of a run: what few of them have, or many have in common, is elsewhere. */
struct hd_access_node {
    u32 generation;           /* of the object */
    u32 epoch, clock;
    u32 next_any, next_write; /* epoch of the thread's next access; HD_EPOCH_NEVER = none */
    u32 prev_any, prev_write; /* clock of the one before; 0 = none, or knew nothing */
    u32 object, chain;
    u32 stretch : 31;         /* gaps before the first */
    u32 is_copy : 1;          /* of a node of another object (hd_history_split): no instance joins it */
    struct hd_instance first;
    u32 more;                 /* index in hd_history.more: has edges, or several instances; 0 = neither */
    u64 addr;                 /* of the first */
};
_Static_assert(sizeof(struct hd_access_node) == 64, "cache line");

struct hd_access_more {
    u32 times;                /* instances */
    struct hd_instance last;
    u32 last_stretch;         /* gaps before the last */
    u32 succ, pred;           /* first edges from and to it */
    u32 n_succ, n_pred;
};

/* What a walk over many nodes looks at first, side by side in memory. */
struct hd_access_link {
    u32 older;                /* in the history of its chain; */
    u32 same;                 /* ... of those in the history the next that differs in the order alone */
    u32 access_class;         /* index in hd_history.access_class */
    u32 epoch, next;          /* the node's (0: dropped, leaves the history when somebody comes by), and of the next access that may take its place: any, for one
                                 that writes the next that does */
};

/* Nodes that differ only in the object and in where they stand in the order: what
 * a few of them could do the others most likely can, too, so that of many only
 * some are looked at (compound.c). */
struct hd_access_class {
    struct hd_does does;
    u32 skip, level;  /* walks to leave out */
    u32 stamp, count; /* taken for the combination under way */
};

/* How many edges (local pairs) two access_class have; a cache, a lost entry counts
 * anew. */
struct hd_met {
    u64 access_class; /* a << 32 | b */
    u32 n;
    u32 stamp;   /* of another time: as good as empty */
    bool is_none; /* there are none: what they do, or their locks, forbid it */
};
#define HD_MET_SLOTS 4096
#define HD_REPEAT_SLOTS 16384

/* Beyond what is enough of two access_class: whole stretches of a thread are looked
 * at, or not at all, because compound idioms need what lies close together. */
HD_INLINE bool hd_is_sampled(u32 time) { return (time >> 8) % 8 == 0; }

struct hd_unjudged {
    struct hd_does does;
    struct hd_access_node node;
    u32 trail;     /* entry of the thread's trail + 1, 0 = none; of a free one: the next */
    bool has_next; /* *_any are known */
    bool is_cold;  /* a repeat on an object of one thread: judged if another one comes (history_pending.c) */
};

/* Accesses that write (give up, wake) meet others of both kinds, or, of sync objects, those of
 * the other kind alone; the others meet only those that write. */
enum { HD_OTHERS, HD_WRITERS };

struct hd_access_chain {
    u32 generation; /* 0: free */
    u32 next;      /* of the object; in the free list */
    u32 head[2];   /* newest nodes in the history: HD_OTHERS, HD_WRITERS */
    u32 any_time, any_clock;     /* of the last access; 0 = none */
    u32 write_time, write_clock; /* of the last write */
    u32 acq_site;  /* of the last ACQ */
    u32 did, did_epoch; /* the last access: what it did (a hash), in which epoch */
    u32 pending[2]; /* in hd_history.pending, 0 = none */
    u16 n[2];      /* nodes in each history */
    u16 tid;
};

struct hd_history_object {
    u64 generation;
    u32 first;   /* struct hd_access_chain, the one used last */
    u32 n_nodes; /* in the histories */
    u32 gc_at;   /* look for useless ones at that many */
    u16 n;       /* threads */
};

struct hd_edge {
    u32 from, to;
    u32 next_succ, next_pred;
};

/* A thread's accesses in order. */
struct hd_trail_entry {
    u32 node;  /* 0 = not judged yet */
    u32 time;
    u32 since; /* index in `since` of its thread: locks then held; of a repeat its chain */
};
#define HD_TRAIL_REPEAT UINT32_MAX /* `node` of an access that is none */

struct hd_history_thread {
    HD_VEC(struct hd_trail_entry) trail;
    HD_VEC(u32) since;    /* lockset, then the time each of its locks was taken */
    u32 since_at;         /* of the locks held now */
    u32 since_changed;    /* the order's locks_seen it was made from */
    HD_VEC(u32) touched;  /* pasts that may be this thread's */
    struct hd_map nth;    /* site << 32 | ctx -> executed so far */
    u32 create_site;      /* interned; 0 = not seen being created */
    u32 create_nth;       /* which of the threads created there, by that thread */
    u16 parent;
};

struct hd_history_count {
    u64 judged, nodes, edges, checks; /* checks: pairs of nodes compared */
    u64 dropped;   /* nodes no longer compared: too many that differ in nothing that counts */
    u64 collected; /* by garbage collection */
    u64 repeats;   /* accesses like enough others: no nodes (history_repeat.c) */
};

struct hd_history {
    struct hd_must *order;
    const struct hd_feed *feed;
    u32 gaps;                     /* times that events of this run were left out */
    HD_VEC(u32) open;             /* chains, among them all with an access that is not judged */
    bool has_edges;               /* keep edges and trails: compound idioms want them */
    HD_VEC(struct hd_access_node) node; /* [0] unused */
    HD_VEC(struct hd_access_link) link; /* by node */
    HD_VEC(struct hd_access_more) more; /* [0] unused */
    HD_VEC(struct hd_unjudged) pending; /* [0] unused */
    u32 free_pending;
    HD_VEC(struct hd_edge) edge;  /* [0] unused */
    HD_VEC(struct hd_access_chain) chain; /* [0] unused */
    u32 free_chain;
    struct hd_history_object *object; /* by the feed's number */
    u32 cap_objects, n_objects;
    struct hd_history_thread *thread;
    u32 cap_threads, n_threads;
    HD_VEC(struct hd_access_class) access_class; /* [0] unused */
    struct hd_map class_number;
    struct hd_met *met;           /* HD_MET_SLOTS */
    u32 *newest;                  /* ... nodes by chain and class; a cache, too */
    u32 *repeat;                  /* HD_REPEAT_SLOTS: accesses counted by what they do, and to what */
    u32 met_stamp;
    u64 n_trail;                  /* entries of all trails */
    u32 asked;                    /* how often whether it is time to stop, */
    bool is_over;                 /* ... and it was: nothing more is looked for */
    struct hd_history_count count;
    void (*edge_found)(void *self, u32 a, u32 b);
    void (*node_made)(void *self, u32 a);
    void *self;
};

void hd_history_init(struct hd_history *h, struct hd_must *o, const struct hd_feed *f);
void hd_history_release(struct hd_history *h);
void hd_history_begin(struct hd_history *h);

/* The event enters: between hd_must_before and hd_feed_done. */
void hd_history_event(struct hd_history *h, const struct hd_seen *s);
/* For hd_feed.split. */
void hd_history_split(struct hd_history *h, u32 from, u32 to);
/* Judges what is pending: of one thread that ends; of all. */
void hd_history_end_thread(struct hd_history *h, u32 tid);
void hd_history_end(struct hd_history *h);
/* Events are left out here: what is known by now is all that will be. In time that goes by what
 * was new since the last gap. */
void hd_history_gap(struct hd_history *h);
/* Judges and drops everything; threads and their counts stay. */
void hd_history_forget(struct hd_history *h);

/* Its memory is given back if it is large; to be called once the run is over. */
void hd_history_rest(struct hd_history *h);

struct hd_history_thread *hd_history_thread(struct hd_history *h, u32 tid);
/* Trails begin anew (they have been read). */
void hd_history_cut_trails(struct hd_history *h);
/* What forgetting would give back. */
size_t hd_history_bytes(const struct hd_history *h);

/* history_pending.c: room for an access to be judged later. */
struct hd_unjudged *hd_history_pend(struct hd_history *h, u32 chain, u32 list, bool is_cold);
/* The thread touches the object again: now it is known whether what came before
 * was the last in its critical sections. */
void hd_history_settle(struct hd_history *h, u32 chain, u32 epoch, bool is_write);
/* Judges what is pending of a chain and not cold; what is cold; leaves what is cold unjudged. */
void hd_history_judge_chain(struct hd_history *h, u32 chain);
void hd_history_warm(struct hd_history *h, u32 chain);
void hd_history_drop_cold(struct hd_history *h, u32 chain);

/* history_repeat.c: has that been done often enough, to objects with such a past? Notes it. Pre: the
 * chain is the first of its object, other threads' follow, newest first. */
bool hd_history_is_repeat(struct hd_history *h, u32 chain, const struct hd_does *does, u32 epoch, u32 clock,
                          u32 time);

/* history_node.c: an access becomes a node, or one more instance. */
void hd_history_judge(struct hd_history *h, const struct hd_unjudged *x);
/* A new node that is like `n`, without edges. */
u32 hd_history_add(struct hd_history *h, const struct hd_access_node *n, u32 access_class);
/* What few nodes have; made if need be. Valid until the next one is made. */
struct hd_access_more *hd_history_more(struct hd_history *h, u32 id);

HD_INLINE const struct hd_does *hd_history_does(const struct hd_history *h, u32 id)
{
    return &h->access_class.at[h->link.at[id].access_class].does;
}

HD_INLINE u32 hd_history_times(const struct hd_history *h, const struct hd_access_node *n)
{
    return n->more ? h->more.at[n->more].times : 1;
}

/* The last instance. */
HD_INLINE const struct hd_instance *hd_history_last(const struct hd_history *h,
                                                    const struct hd_access_node *n)
{
    return n->more ? &h->more.at[n->more].last : &n->first;
}

/* Does it write, give up, wake? */
HD_INLINE u32 hd_access_list(u8 kind)
{
    return kind == HD_ACC_WRITE || kind == HD_ACC_UPDATE || kind == HD_ACC_REL || kind == HD_ACC_WAKE
               ? HD_WRITERS
               : HD_OTHERS;
}

/* history_edge.c: compares a new node with those of the other threads, then
 * puts it into the history. */
void hd_history_link(struct hd_history *h, u32 id);

#endif
