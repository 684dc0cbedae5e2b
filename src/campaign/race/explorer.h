/* explorer.h: what the files about races share: one worker of the campaign, which makes the
 * runs, and what was looked at so far.
 *
 *   races.c         which races, driving runs into them, findings
 *   race_result.c   both orders of the two accesses, and what comes of them
 *   race_words.c    a race in a line; what was seen or is possible, and was not brought about
 */
#ifndef HD_EXPLORER_H
#define HD_EXPLORER_H

#include "campaign/race/races.h"
#include "base/vec.h"
#include "report/finding.h"

#define HD_RACE_KEY 1024

struct hd_explorer {
    struct hd_campaign *c;
    const struct hd_campaign_opts *o;
    struct hd_worker *w;
    struct hd_symbols *symbols;
    struct hd_error *err;
    u64 run;
    s64 until_ns;
    u64 hidden_runs;         /* left for races that no run showed */
    HD_VEC(char *) done;     /* lines and variables of what was looked at with success */
    HD_VEC(char *) left;     /* ... of what could not be brought about */
};

/* Addresses of the pair's sites in this process; false if they are not there. */
bool hd_race_sites(struct hd_explorer *x, const struct hd_race_pair *p, u64 site[2]);
/* Lines and variable: what makes two races one for people. */
void hd_race_key(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2],
                 char key[HD_RACE_KEY]);
/* A failure ended the campaign: what races were seen for certain, in a line each. */
void hd_race_list_seen(struct hd_explorer *x);
/* It could not be brought about: a line about it, once. */
void hd_race_list_possible(struct hd_explorer *x, const struct hd_race_pair *p, const u64 site[2]);

/* One run on the worker, all set up in its shared memory. False: there was none. */
bool hd_races_run(const struct hd_campaign_opts *o, struct hd_worker *w, u64 run);

/* Fills f->race: class, results. `f` is the run that showed the race, both accesses pending
 * (f->race.step). If one order fails, *failed is that run, to be released by the caller, and
 * the class is HD_RACE_FAILS. `times`: runs of each order. */
void hd_races_judge(const struct hd_campaign_opts *o, struct hd_worker *w, struct hd_finding *f,
                    u32 times, struct hd_finding *failed);
/* Did the run that just ended fail? */
bool hd_races_is_failure(const struct hd_campaign_opts *o, const struct hd_verdict *v);

#endif
