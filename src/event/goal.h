/* goal.h: an interleaving that a run is to be driven into: up to four events of
 * two threads, and which of them come after which. Made by the host from a
 * predicted iRoot (plan/drive/drive_goal.c), carried out by strategy/directed/active.c.
 *
 * Several goals can be given at once; each has its own threads and objects. The first ones are
 * there from the beginning to the end of the run. Those after them are a queue: each is taken up
 * when a thread comes to one of its events, if there is room and nothing that is under way has a
 * site in common with it, and dropped for this run when it is reached, lost, or took too long.
 */
#ifndef HD_GOAL_H
#define HD_GOAL_H

#include "event/event.h"

#define HD_GOALS 32 /* fits the bits of hd_stats.goals_tried */
#define HD_GOAL_EVENTS 4

/* What an event does to its object. The order is that of enum hd_access. */
enum hd_goal_does {
    HD_GOAL_READ,
    HD_GOAL_WRITE,
    HD_GOAL_UPDATE, /* atomic read-modify-write */
    HD_GOAL_TAKE,   /* a lock */
    HD_GOAL_GIVE,
    HD_GOAL_WOKEN,
    HD_GOAL_WAKE,
    HD_GOAL_ANY,    /* whatever stands at the site */
};

struct hd_goal_event {
    u64 site;   /* return address */
    u64 addr;   /* in its object; 0 = any object */
    u32 ctx;    /* with nth: that execution of (site, ctx) by its thread and no other; */
    u32 nth;    /* 0 = any */
    u8 does;    /* enum hd_goal_does */
    u8 role;    /* 0 or 1: which of the two threads */
    u8 var;     /* 0 or 1: which of the two objects */
    u8 after;   /* bit i: event i comes before this one */
    u16 tid;    /* its thread in the run that a script was recorded of; strategy map: if not 0, it must be that one */
};

struct hd_goal {
    u8 n;            /* events; 0 = nothing to do */
    u8 n_vars;
    u8 exclusive;    /* bit per role: between its events its thread touches neither object */
    u8 reserved;
    u32 window;      /* steps of a thread between its two events before it starts over; 0 = any */
    struct hd_goal_event event[HD_GOAL_EVENTS];
};

/* How the parts that the goal leaves open are chosen. */
enum hd_goal_order {
    HD_ORDER_EARLIER, /* the thread created first goes on as long as it can */
    HD_ORDER_LATER,   /* ... last */
    HD_ORDER_CHANCE,  /* random priorities of events (as POS) */
    HD_ORDER_COUNT
};

struct hd_goals {
    u32 n;
    u32 n_queued;    /* so many of them, the last ones, are the queue */
    u8 order;        /* enum hd_goal_order */
    bool is_eager;   /* a first event does not wait for its partner: it goes, then the
                        object is guarded until the partner comes */
    bool holds_all;  /* everybody who comes too early to an event is held, not only one */
    bool awaits;     /* a candidate among them was seen to depend on the world outside: it is given
                        a moment before a goal is abandoned */
    bool lets_pass;  /* who waits at a first event for its partner lets others pass by it: they may be
                        on their way to the partner. Not where all of what they do has to come
                        between two events (an atomicity violation) */
    bool must_meet;  /* a first event counts only if its partner was in sight (a race) */
    u16 patience;    /* times that a sleeper's time may be made to come for a goal */
    struct hd_goal at[HD_GOALS];
};

#endif
