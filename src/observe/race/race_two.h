/* race_two.h: two variables that belong together, and a thread that comes to one of them before and to
 * the other after another thread has been at both: no order of the two pieces explains what it sees.
 *
 *   A        B                     A        B
 *   lock                           begin block
 *   write x                        read x
 *   unlock                                  write x
 *            lock                           write y
 *            read x, read y        read y
 *            unlock                end
 *   lock
 *   write y
 *   unlock
 *
 * That they belong together is said by a block of heddle_atomic_begin in A; or B has always been
 * at both in one section of its locks, where A is in two. Accesses that neither a lock nor an atomic
 * protects are left to races. Nothing of this is certain: who uses it drives a run there.
 *
 * Bounded: of each thread the last HD_TWO_RECENT variables, HD_TWO_PAIRS pairs of a run.
 */
#ifndef HD_RACE_TWO_H
#define HD_RACE_TWO_H

#include "observe/race/race.h"
#include "observe/race/race_possible.h"

#define HD_TWO_RECENT 6
#define HD_TWO_PAIRS 2048
#define HD_TWO_WINDOW 64  /* events of a thread between its two accesses */
#define HD_TWO_LOOKS 16   /* times that a pair is compared with others, in a run */

/* Of A the first and the last, of B the two in between. */
struct hd_two_seen {
    u64 site[4];   /* A, B, B, A */
    u8 does[4];
    u64 addr[2];   /* of A's first access and of its last */
    bool is_turned; /* B comes to the second variable first */
    bool in_block; /* of A */
    bool is_exposed; /* the run showed it; else it could have */
};

/* What a thread last did to a variable. */
struct hd_two_access {
    u64 generation, addr;
    u32 obj, site, now, time;
    u32 section;  /* number; 0 = no lock was held */
    u8 does;
};

/* Two accesses of a thread to two variables, in that order. */
struct hd_two_pair {
    struct hd_two_access at[2];
    struct hd_race_locks kept, held; /* from one to the other; at both */
    u16 tid;
    bool in_section, in_block;       /* one for both of them */
    u8 looks;
    u32 together; /* sections that had both */
    u32 next;     /* number + 1 of the next pair of the same variables */
};

struct hd_two_thread {
    u32 section, block, depth;
    u32 again, again_of; /* the section that came to a variable again, and which had it last */
    u32 n;
    struct hd_two_access recent[HD_TWO_RECENT]; /* latest first */
};

struct hd_race_twos {
    struct hd_two_thread *thread;
    u32 cap_threads, n_threads;
    HD_VEC(struct hd_two_pair) pair;
    struct hd_map number;   /* of a pair, by thread, sites and variables */
    struct hd_map first;    /* number + 1 of a pair, by its variables */
    struct hd_map sections; /* by thread and variable: how many sections had it, and the last one */
    struct hd_race_possible *possible;
    const struct hd_set *set;
    void (*report)(void *self, const struct hd_two_seen *s); /* NULL = not wanted */
    void *self;
};

void hd_race_twos_begin(struct hd_race_twos *t);
void hd_race_twos_release(struct hd_race_twos *t);
/* An event that is no access, before it enters the feed. */
void hd_race_twos_sync(struct hd_race_twos *t, const struct hd_feed *f, const struct hd_seen *s);
/* An access, before it enters the feed. */
void hd_race_twos_access(struct hd_race_twos *t, const struct hd_feed *f, const struct hd_seen *s);

#endif
