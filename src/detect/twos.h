/* twos.h: two accesses of one thread to two variables with two of another thread in between (observe/
 * race/race_two.h): a table of those that runs showed or could have shown, and finding one in the
 * events of a run. */
#ifndef HD_TWOS_H
#define HD_TWOS_H

#include "base/map.h"
#include "base/vec.h"
#include "observe/race/race_two.h"

#define HD_TWOS_MOST 256

struct hd_two {
    struct hd_two_seen is;
    u64 var[2];            /* addresses of variables with a fixed place, or 0 */
    u32 exposed, possible; /* in how many places */
};

struct hd_twos {
    HD_VEC(struct hd_two) all;
    struct hd_map number; /* by the four sites */
};

void hd_twos_release(struct hd_twos *t);
/* `fixed`: bit i: addr[i] means the same variable in every run. */
void hd_twos_add(struct hd_twos *t, const struct hd_two_seen *s, u32 fixed);

/* Indices of four such accesses in the events of a run, at sites at[0] to at[3] in this order; the
 * first thread touches neither variable in between. In one atomic block, if that is asked for. */
bool hd_two_find(const struct hd_event *ev, u32 n, const u64 at[4], bool is_turned, bool in_block,
                 u32 found[4]);

#endif
