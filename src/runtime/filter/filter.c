/* filter.c: the part of filter.h that need not be inline. */
#include "runtime/filter/filter.h"

enum hd_filter_role hd_filter_role(u8 known)
{
    if (known & HD_SITE_POINT)
        return HD_ROLE_RACING;
    if (known & HD_SITE_SPIN)
        return HD_ROLE_POLLING;
    return known & HD_SITE_EVENT ? HD_ROLE_SHARED : HD_ROLE_QUIET;
}

u8 hd_filter_begin(u8 known, u32 mode, bool is_sampled)
{
    HD_FILTER_FLAGS;
    static const u8 table[HD_ROLES][4] = {
#define HD_FILTER_ROLE(name, known, plain, streamed, learning, both)                               \
    [HD_ROLE_##name] = {plain, streamed, learning, both},
#include "runtime/filter/filter.def"
    };
    if (mode & HD_MODE_NO_FILTER)
        return EVENT | POINT;
    u32 column = (mode & HD_MODE_LEARN ? 2 : 0) + (mode & HD_MODE_STREAM ? 1 : 0);
    u8 flags = table[hd_filter_role(known)][column];
    if (known & GOAL && !(flags & POINT))
        flags |= GOAL | POINT;
    bool tells_own = mode & HD_MODE_VALUES && !(mode & HD_MODE_LEARN) && !is_sampled;
    if (mode & HD_MODE_STREAM && (mode & HD_MODE_ALL_EVENTS || tells_own))
        flags |= EVENT;
    if (!(mode & HD_MODE_NO_HEAP) && !(is_sampled && known & HD_SITE_CLEAN))
        flags |= HEAP;
    return flags;
}

const struct hd_cell_row hd_cell_row[HD_CELL_STATES] = {
#define MANY HD_CELL_MANY
#define SHARED HD_CELL_SHARED
#define RACY HD_CELL_RACY
#define EVENT HD_SITE_EVENT
#define POINT HD_SITE_POINT
#define HD_CELL_STATE(name, bits, known, own, read, conflict, race)                                \
    [HD_CELL_IS_##name] = {bits, known,                                                            \
                           {HD_CELL_IS_##own, HD_CELL_IS_##read, HD_CELL_IS_##conflict,            \
                            HD_CELL_IS_##race}},
#include "runtime/filter/filter.def"
};
