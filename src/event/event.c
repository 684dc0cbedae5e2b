/* event.c: tables made from event.def. */
#include "event/event.h"

static const char *const event_text[HD_EV_COUNT] = {
#define HD_EV(name, text, class, obj, arg) text,
#include "event/event.def"
#undef HD_EV
};

static const u8 event_class[HD_EV_COUNT] = {
#define HD_EV(name, text, class, obj, arg) HD_CLASS_##class,
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
    return event_class[kind];
}

bool hd_event_conflicts(u8 a, u8 b)
{
    enum hd_evclass x = hd_event_class(a), y = hd_event_class(b);
    if (x == HD_CLASS_LOCAL || y == HD_CLASS_LOCAL)
        return false;
    return x != HD_CLASS_READ || y != HD_CLASS_READ;
}
