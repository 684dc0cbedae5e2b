/* explorer.h: what the files about races share: one worker of the campaign, which makes the
 * runs, and what was looked at so far.
 *
 *   races.c         which races, driving runs into them
 *   race_rank.c     which of them first
 *   race_trace.c    ... by runs that are looked at as a whole
 *   race_class.c    which are better driven together with others
 *   race_joint.c    ... several in a run
 *   follow.c        a run that had both accesses, followed with one thread held
 *   judge/judge.c   runs of one order or another, and how they end
 *   judge/race_result.c   both orders of the two accesses, and what comes of them
 *   judge/race_final.c    ... in memory
 *   judge/race_apart.c    one access before the other has begun
 *   judge/violation_result.c  the thread in between, before or after
 *   atomicity.c     ... of three accesses, one of them between the two of another thread
 *   two.c           ... of four, over two variables
 *   lock_order.c    locks that threads take in different orders
 *   checks.c        signal handlers, threads left over
 *   tried.c         which of these were driven before, and what came of it
 *   race_keep.c     what is found, until it becomes findings
 *   race_library.c  races of the C++ library with itself
 *   race_words.c    a race in a line; what was seen or is possible, and was not brought about
 */
#ifndef HD_EXPLORER_H
#define HD_EXPLORER_H

#include "campaign/race/races.h"
#include "base/vec.h"
#include "report/finding.h"

#define HD_RACE_KEY 1024

/* What will be a finding, once it is known what else there is. */
struct hd_race_kept {
    struct hd_finding f;
    struct hd_finding shows; /* of a failure that came of a race: the run that showed the race; none: .modules is NULL */
    u64 var;          /* address of a variable with a fixed place, or 0 */
    s64 took_ns;
    bool is_failure;
    bool is_done;     /* it is a finding, or none */
    u32 tried;        /* number + 1 (tried.h), 0 = it is not remembered */
};
struct hd_tried;

struct hd_explorer {
    struct hd_campaign *c;
    const struct hd_campaign_opts *o;
    struct hd_worker *w;
    struct hd_symbols *symbols;
    struct hd_error *err;
    u64 run;
    s64 until_ns;
    u32 traces;              /* runs that were asked which races are certain */
    u64 hidden_runs;         /* left for races that no run showed */
    HD_VEC(struct hd_race_kept) kept;
    HD_VEC(char *) done;     /* lines and variables of what was looked at with success */
    HD_VEC(char *) left;     /* ... of what could not be brought about */
    HD_VEC(struct hd_tried) tried;
    HD_VEC(u32) later;       /* pairs that share their runs (race_joint.c) */
    struct hd_map vain;      /* race_class.c, where no other input knows; */
    struct hd_map order;     /* ... what runs tell of the order in two functions */
};

/* Addresses of the pair's sites in this process; false if they are not there. */
bool hd_race_sites(struct hd_explorer *x, const struct hd_race_pair *p, u64 site[2]);
/* Two lines of the C++ library's own headers: what it leaves out in memory orders is between
 * it and its compiler. */
bool hd_race_is_library(struct hd_explorer *x, const u64 site[2]);
/* ... which it leaves to race on purpose: no finding, whatever the program does. */
bool hd_race_is_by_design(struct hd_explorer *x, const u64 *site, u32 n);
/* Lines and variable: what makes two races one for people. */
void hd_race_key(struct hd_explorer *x, const u64 site[2], const char *variable,
                 char key[HD_RACE_KEY]);
/* The lines alone, in this order. */
void hd_race_key_many(struct hd_explorer *x, const u64 *site, u32 n, char key[HD_RACE_KEY]);
/* The name of the variable of a pair, or what stands for it. */
void hd_race_variable(struct hd_explorer *x, const struct hd_race_pair *p, char *buf, size_t size);
/* "file:line" */
void hd_explorer_place(struct hd_explorer *x, u64 pc, char *buf, size_t size);
/* How little is known of it: 0 = both were seen pending. */
u32 hd_race_rank(const struct hd_race_pair *p);
/* What the events of a run tell of pairs from this one on: certain, or hardly possible. */
void hd_race_ask(struct hd_explorer *x, size_t from, const struct hd_event *ev, u32 n);
/* The same of all pairs, by runs that are made for it, if it is worth them (race_trace.c). */
void hd_race_trace(struct hd_explorer *x);
/* Pairs from this one on, the most certain first, by what the last run tells of them as well. */
void hd_race_order(struct hd_explorer *x, size_t from);
/* A failure ended the campaign: what races were seen for certain, in a line each. */
void hd_race_list_seen(struct hd_explorer *x);
/* Pairs from this one on that some run showed. */
u32 hd_race_count_seen(const struct hd_races *r, size_t from);
/* It could not be brought about: a line about it, once. */
void hd_race_list_possible(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2]);

/* Something else that could happen and was not brought about: once. */
void hd_race_list_other(struct hd_explorer *x, const char *text);

/* The next run has one goal, which is to be filled in; attempts differ in what it leaves open. */
struct hd_goal *hd_explorer_goal(struct hd_explorer *x, u32 nth);
/* These sites, and no others, are scheduling points because of a goal. */
void hd_explorer_mark(struct hd_explorer *x, const u64 *site, u32 n);
/* The run that just ended shows it, in these steps. */
bool hd_explorer_take(struct hd_explorer *x, const u32 *step, u32 n, struct hd_finding *f);
/* To be a finding, worst first. Takes f over. `tried`: as in hd_race_kept. */
void hd_explorer_keep(struct hd_explorer *x, struct hd_finding *f, u64 var, bool is_failure,
                      u32 tried);
/* A failure that a race leads to. Takes both over; `shows` as in hd_race_kept. */
void hd_explorer_keep_failure(struct hd_explorer *x, struct hd_finding *f, const struct hd_finding *shows, u64 var,
                              u32 tried);
/* Is that failure a finding already, or going to be one? Names it. */
bool hd_explorer_is_known(struct hd_explorer *x, struct hd_finding *f);
/* Was a race on the lines of these two sites brought about in this campaign? */
bool hd_explorer_has_kept(struct hd_explorer *x, const u64 site[2]);
/* All that was kept, as findings. 0 or negative errno. */
int hd_explorer_persist(struct hd_explorer *x);
/* There is time, the worker lives, and there is room for findings. */
bool hd_explorer_goes_on(const struct hd_explorer *x);
/* The run that just ended, once more, with both threads at their accesses at the same time, if it had
 * both and nothing orders them. True: *f is that run. */
bool hd_race_follow(struct hd_explorer *x, const u64 site[2], struct hd_finding *f);
/* What came between accesses that are one piece. */
void hd_atomicity_explore(struct hd_explorer *x);
/* ... two variables that belong together. */
void hd_two_explore(struct hd_explorer *x);
/* Do the two sites race? Identities. */
bool hd_explorer_is_race(const struct hd_explorer *x, u64 a, u64 b);
/* Was it looked at before in this campaign, or under another input? ... and from now on it was. */
bool hd_explorer_is_done(const struct hd_explorer *x, const char *key);
bool hd_explorer_was_done(struct hd_explorer *x, const char *key);
/* Locks taken in different orders. */
void hd_lock_order_explore(struct hd_explorer *x);
/* What signal handlers do, and threads that are left over. */
void hd_checks_explore(struct hd_explorer *x);

/* One run on the worker, all set up in its shared memory. False: there was none. */
bool hd_races_run(const struct hd_campaign_opts *o, struct hd_worker *w, u64 run);

struct hd_list;
/* The schedule of f in which thread tid[1] comes to its access only after tid[0] has made its own, a write. False:
 * it cannot be told, or would change more than that. */
bool hd_race_apart(struct hd_list *script, const struct hd_finding *f, const u16 tid[2]);

/* Fills f->race: class, results. `f` is the run that showed the race, both accesses pending
 * (f->race.step). If one order fails, *failed is that run, to be released by the caller, and
 * the class is HD_RACE_FAILS. `times`: runs of each order. */
void hd_races_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_symbols *s,
                    struct hd_finding *f, u32 times, struct hd_finding *failed);
/* The same for three accesses: result[0] is that of the order in f, result[1] one of the two
 * orders in which the accesses of one thread follow each other. HD_RACE_CHANGES if neither has
 * the result of the first. In a block all runs are made in any case. is_observed: see violation.h. */
void hd_atomicity_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_finding *f,
                        u32 times, bool in_block, bool is_observed, struct hd_finding *failed);
/* Did the run that just ended fail? */
bool hd_races_is_failure(const struct hd_campaign_opts *o, const struct hd_verdict *v);

#endif
