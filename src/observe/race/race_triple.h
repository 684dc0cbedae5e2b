/* race_triple.h: two accesses of one thread to a variable, and one of another thread that came in
 * between, or could have: an order that no execution of the two in one piece would show.
 *
 *   in a block of heddle_atomic_begin: read-write-read, write-write-read, read-write-write,
 *   write-read-write;  elsewhere: read-write-write alone, the write being no atomic update, since
 *   other programs that look at a variable twice are right more often than wrong.
 *
 * The accesses may be protected by locks; in one section of a lock that the third access needs,
 * too, nothing comes in between.
 */
#ifndef HD_RACE_TRIPLE_H
#define HD_RACE_TRIPLE_H

#include "observe/race/race.h"
#include "observe/race/race_possible.h"

/* The last pair of a thread on an object. */
struct hd_triple_pair {
    u32 first_now, second_now;
    u32 second_time;
    u32 first, second;         /* sites, interned */
    u8 does[2];
    bool in_block;
    u32 kept;                  /* locks held from one to the other, by their number */
};

struct hd_triple_thread {
    u32 block;  /* `now` of the begin of its atomic block, 0 = it is in none */
    u32 depth;
};

struct hd_race_triples {
    struct hd_triple_pair *pair; /* by struct hd_last */
    u32 cap_pairs, n_pairs; /* n_pairs: in use */
    struct hd_triple_thread *thread;
    u32 cap_threads, n_threads;
    struct hd_race_possible *possible; /* the order without locks, and locks held */
    const struct hd_set *set;          /* sites by their number */
    void (*report)(void *self, const struct hd_race_seen *s);
    void *self;
};

void hd_race_triples_begin(struct hd_race_triples *t);
void hd_race_triples_release(struct hd_race_triples *t);
/* The run is over: large tables are not kept for the next one. */
void hd_race_triples_rest(struct hd_race_triples *t);
/* Begin and end of a block. */
void hd_race_triples_block(struct hd_race_triples *t, const struct hd_seen *s);
/* An access, before it enters the feed and `possible`. */
void hd_race_triples_access(struct hd_race_triples *t, const struct hd_feed *f,
                            const struct hd_seen *s);

#endif
