/* filter.h: the tables of filter.def as enums and pure functions: no memory but their
 * arguments, no threads. START HERE: filter.def draws what this folder does.
 */
#ifndef HD_FILTER_H
#define HD_FILTER_H

#include "event/shm.h"

#define HD_FILTER_OWN 64u   /* ... of one that touches memory of its thread only (HD_MODE_VALUES) */
#define HD_FILTER_HOT 4096u /* events of a site in a run */

/* ---- a site ---------------------------------------------------------------------------- */

enum hd_filter_role {
#define HD_FILTER_ROLE(name, ...) HD_ROLE_##name,
#include "runtime/filter/filter.def"
    HD_ROLES
};
enum hd_filter_role hd_filter_role(u8 known);

/* The flags a site begins a run with. `mode`: HD_MODE_*, with HD_MODE_LEARN only if the run
 * can learn; `is_sampled`: it is known to be long, sites that are clean need not be checked. */
u8 hd_filter_begin(u8 known, u32 mode, bool is_sampled);

enum hd_filter_change {
#define HD_FILTER_CHANGE(name, ...) HD_CHANGE_##name,
#include "runtime/filter/filter.def"
    HD_CHANGES
};

/* The names of flags in filter.def, inside a function. */
#define HD_FILTER_FLAGS                                                                            \
    enum {                                                                                         \
        LEARN = HD_SITE_LEARN,                                                                     \
        EVENT = HD_SITE_EVENT,                                                                     \
        POINT = HD_SITE_POINT,                                                                     \
        POLL = HD_SITE_POLL,                                                                       \
        STREAMED = HD_SITE_STREAMED,                                                               \
        GOAL = HD_SITE_GOAL,                                                                       \
        SPIN = HD_SITE_SPIN,                                                                       \
        HEAP = HD_SITE_HEAP,                                                                       \
    }

HD_INLINE u8 hd_filter_after(u8 flags, enum hd_filter_change change)
{
    HD_FILTER_FLAGS;
    switch (change) {
#define HD_FILTER_CHANGE(name, off, on, when)                                                      \
    case HD_CHANGE_##name: return (u8)((flags & ~(off)) | (on));
#include "runtime/filter/filter.def"
    default: return flags;
    }
}

enum hd_filter_route {
    HD_ROUTE_CHECK,
    HD_ROUTE_LEARN,
    HD_ROUTE_STREAM,
    HD_ROUTE_LEARN_STREAMED,
    HD_ROUTE_FULL,
};

/* Of an access within 8 bytes. */
HD_INLINE enum hd_filter_route hd_filter_route(u8 flags)
{
    HD_FILTER_FLAGS;
    u32 what = flags & ~HEAP;
#define HD_FILTER_ROUTE(flags, route)                                                              \
    if (what == (flags))                                                                           \
        return HD_ROUTE_##route;
#include "runtime/filter/filter.def"
    return HD_ROUTE_FULL;
}

/* ---- memory, and what is streamed of it -------------------------------------------------- */

enum hd_filter_memory {
#define HD_FILTER_MEMORY(name, ...) HD_MEMORY_##name,
#include "runtime/filter/filter.def"
    HD_MEMORIES
};

enum hd_filter_stream { HD_STREAM_STREAM, HD_STREAM_SIGN, HD_STREAM_LEAVE_OUT };

HD_INLINE enum hd_filter_stream hd_filter_stream(u32 memory, bool is_first, bool is_hot)
{
    switch (memory) {
#define HD_FILTER_MEMORY(name, first, hot, other)                                                  \
    case HD_MEMORY_##name:                                                                         \
        return is_first ? HD_STREAM_##first : is_hot ? HD_STREAM_##hot : HD_STREAM_##other;
#include "runtime/filter/filter.def"
    default: return HD_STREAM_STREAM;
    }
}

/* ---- a cell ------------------------------------------------------------------------------ */

#define HD_CELL_MANY (1ull << 61)   /* several threads have read it since the last write */
#define HD_CELL_SHARED (1ull << 62) /* several threads, one wrote */
#define HD_CELL_RACY (1ull << 63)   /* raced on, in this run or an earlier one */
#define HD_CELL_MARKS (HD_CELL_RACY | HD_CELL_SHARED)

enum hd_cell_state {
#define HD_CELL_STATE(name, ...) HD_CELL_IS_##name,
#include "runtime/filter/filter.def"
    HD_CELL_STATES
};

/* An access, compared with the last write and the last read of its cell. The greater one
 * counts. */
enum hd_relation {
    HD_RELATION_OWN,
    HD_RELATION_READ,
    HD_RELATION_CONFLICT,
    HD_RELATION_RACE,
};

extern const struct hd_cell_row {
    u64 bits;
    u8 known; /* what a site becomes that touches it */
    u8 next[HD_RELATION_RACE + 1];
} hd_cell_row[HD_CELL_STATES];

/* `bits`: hd_cell.what; `is_touched`: by any access in this run. */
HD_INLINE enum hd_cell_state hd_cell_state(u64 bits, bool is_touched)
{
    if (bits & HD_CELL_RACY)
        return bits & HD_CELL_SHARED ? HD_CELL_IS_RACING : HD_CELL_IS_RACED_BEFORE;
    if (bits & HD_CELL_SHARED)
        return HD_CELL_IS_SHARED;
    if (bits & HD_CELL_MANY)
        return HD_CELL_IS_READ_SHARED;
    return is_touched ? HD_CELL_IS_EXCLUSIVE : HD_CELL_IS_UNTOUCHED;
}

/* What the two sites of a conflict become. */
HD_INLINE u8 hd_relation_known(enum hd_relation r)
{
    return r == HD_RELATION_RACE       ? HD_SITE_EVENT | HD_SITE_POINT
           : r == HD_RELATION_CONFLICT ? HD_SITE_EVENT
                                       : 0;
}

#endif
