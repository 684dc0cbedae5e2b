/* map_instance.h: which instances of memory-access patterns some schedule of a run's events could
 * show: accesses of one run, with what happens before them (locks left out) and the locks held.
 * Pure; used by the director map (map.c).
 *
 *   begin; event ...; each   for every run
 */
#ifndef HD_MAP_INSTANCE_H
#define HD_MAP_INSTANCE_H

#include "base/rng.h"
#include "order/order.h"
#include "plan/map/map_pattern.h"

#define HD_MAP_LOCKS 6
#define HD_MAP_THREADS 16  /* whose accesses are looked at */
#define HD_MAP_ACCESSES 24 /* of one variable */
#define HD_MAP_VARIABLES 512

/* One access, as far as accesses of its variable differ. */
struct hd_map_access {
    u64 site, obj;
    u16 tid;
    u8 does; /* 1 reads, 2 writes, 3 both at once */
    u8 n_locks;
    u32 seq;  /* its number in the run */
    u32 time; /* of its thread (order.h) */
    u32 known[HD_MAP_THREADS];
    u64 lock[HD_MAP_LOCKS]; /* held, and by which acquisition: */
    u32 nth[HD_MAP_LOCKS];
};

struct hd_map_variable {
    u32 n, by[2]; /* threads that read it, that write it: bit sets */
    struct hd_map_access at[HD_MAP_ACCESSES];
};

struct hd_map_held {
    u64 lock[HD_MAP_LOCKS];
    u32 nth[HD_MAP_LOCKS], n;
};

struct hd_map_run {
    struct hd_order order;
    struct hd_map by_addr; /* granule -> variable */
    struct hd_map_variable *var;
    u32 n_vars, seq, acquired;
    struct hd_map_held held[HD_MAP_THREADS];
};

void hd_map_run_init(struct hd_map_run *r);
void hd_map_run_release(struct hd_map_run *r);
void hd_map_run_begin(struct hd_map_run *r);
/* What the last run took does not lie about until the next one. */
void hd_map_run_rest(struct hd_map_run *r);
void hd_map_run_event(struct hd_map_run *r, const struct hd_event *ev);
/* Every instance over one variable, and a sample of those over two. */
typedef void hd_map_found(void *self, u32 pattern, const u64 *site, bool is_feasible);
void hd_map_run_each(struct hd_map_run *r, struct hd_rng *rng, hd_map_found *fn, void *self);

/* Could the accesses come in this order? */
bool hd_map_is_feasible(const struct hd_map_access *const *step, u32 n);

#endif
