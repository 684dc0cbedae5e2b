/* map_arm.h: memory-access patterns as one kind of run among those of the default (drive.h): which
 * instances runs could show, from the events that the director has of them anyway, and goals for runs
 * under strategy map.
 *
 *   open; for each run { look }; begin ... ran; close
 */
#ifndef HD_MAP_ARM_H
#define HD_MAP_ARM_H

#include "plan/map/map_source.h"

struct hd_map_arm {
    struct hd_map_source source;
    struct hd_map_run run;
    u64 skip; /* so many runs are not looked at: a look may take as long as many runs */
};

/* NULL: the coverage of patterns is not observed. The others take NULL. */
struct hd_map_arm *hd_map_arm_open(struct hd_cover *cover, u64 seed);
void hd_map_arm_close(struct hd_map_arm *m);
/* The events of a run that went as none before. */
void hd_map_arm_look(struct hd_map_arm *m, const struct hd_event *ev, size_t n);
/* Is there a goal? */
bool hd_map_arm_is_open(const struct hd_map_arm *m);
/* A goal for run i of the worker's next batch: its number, 0 = there is none. */
u32 hd_map_arm_begin(struct hd_map_arm *m, struct hd_worker *w, u32 i);
void hd_map_arm_ran(struct hd_map_arm *m, u32 number);

#endif
