/* feed_what.h: what an event does, for feed.c. */
#ifndef HD_FEED_WHAT_H
#define HD_FEED_WHAT_H

#include "event/effect.h"
#include "observe/feed/feed.h"

/* enum hd_what */
HD_INLINE u8 hd_feed_what(const struct hd_event *ev)
{
    u32 effects = hd_effects(ev);
    switch (hd_meaning[ev->kind].class) {
    case HD_CLASS_READ: /* sem_getvalue reads no memory of the program */
        return hd_space_of(ev->kind) == HD_SPACE_MEMORY ? HD_DOES_READ : HD_DOES_NOTHING;
    case HD_CLASS_WRITE: return HD_DOES_WRITE;
    case HD_CLASS_RMW: return HD_DOES_RMW;
    case HD_CLASS_ACQ: return effects ? HD_DOES_ACQ : HD_DOES_NOTHING;
    case HD_CLASS_REL: return effects ? HD_DOES_REL : HD_DOES_NOTHING;
    case HD_CLASS_WAITS:
        return effects & HD_WAITS ? HD_DOES_WAIT : effects ? HD_DOES_WOKEN : HD_DOES_NOTHING;
    case HD_CLASS_WAKES: return effects ? HD_DOES_WAKE : HD_DOES_NOTHING;
    case HD_CLASS_ORDER:
        return hd_space_of(ev->kind) == HD_SPACE_THREAD && hd_has_succeeded(ev->kind, ev->arg)
                   ? HD_DOES_ORDER
                   : HD_DOES_NOTHING;
    case HD_CLASS_LOCAL:
        return ev->kind == HD_EV_FENCE  ? HD_DOES_ORDER
               : ev->kind == HD_EV_PASS ? HD_DOES_PASS
                                        : HD_DOES_NOTHING;
    default: return HD_DOES_NOTHING;
    }
}

#endif
