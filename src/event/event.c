/* event.c: tables made from event.def. */
#include "event/event.h"

#include "event/effect.h"

static const char *const event_text[HD_EV_COUNT] = {
#define HD_EV(name, text, ...) text,
#include "event/event.def"
#undef HD_EV
};

/* The short names that event.def writes. */
enum {
    NONE = 0,
    READS = HD_READS,
    WRITES = HD_WRITES,
    ATOMIC = HD_ATOMIC,
    ACQUIRES = HD_ACQUIRES,
    RELEASES = HD_RELEASES,
    TAKES = HD_TAKES,
    GIVES = HD_GIVES,
    SHARED = HD_SHARED,
    WAITS = HD_WAITS,
    BLOCKS = HD_BLOCKS,
    COUNTS = HD_COUNTS,
    BEGINS = HD_BEGINS,
    ENDS = HD_ENDS,
    TRIES = HD_TRIES,
    WEAK = HD_WEAK,
    IDLE = HD_IDLE,
};

const struct hd_meaning hd_meaning[256] = {
#define HD_EV(name, text, class, space, effects, done, ...)                                        \
    {effects, HD_SPACE_##space, HD_DONE_##done, HD_CLASS_##class},
#include "event/event.def"
#undef HD_EV
};

const char *hd_event_text(u8 kind)
{
    return kind < HD_EV_COUNT ? event_text[kind] : "?";
}

enum hd_evclass hd_event_class(u8 kind)
{
    HD_ASSERT(kind < HD_EV_COUNT);
    return hd_meaning[kind].class;
}

bool hd_event_conflicts(u8 a, u8 b)
{
    enum hd_evclass x = hd_event_class(a), y = hd_event_class(b);
    if (x == HD_CLASS_LOCAL || y == HD_CLASS_LOCAL)
        return false;
    return x != HD_CLASS_READ || y != HD_CLASS_READ;
}
