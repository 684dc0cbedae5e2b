/* stop.h: is it time to stop? One answer for every long loop of the host, whichever
 * folder it is in: --time is over, or somebody pressed Ctrl-C.
 *
 *   due    begin no new work; what is under way may come to its end
 *   late   a moment later: leave out whatever can be left out (names, rows, replays)
 *
 * process/interrupt.c gives the answers. Without it nothing is ever due. The answer
 * costs as much as reading the clock: innermost loops ask now and then.
 */
#ifndef HD_STOP_H
#define HD_STOP_H

#include "base/base.h"

extern bool (*hd_stop_hook)(bool is_late);

static inline bool hd_stop_is_due(void) { return hd_stop_hook && hd_stop_hook(false); }
static inline bool hd_stop_is_late(void) { return hd_stop_hook && hd_stop_hook(true); }

/* For innermost loops: asks the clock once in 64 calls. */
static inline bool hd_stop_is_due_soon(u32 *calls)
{
    return HD_UNLIKELY(!(++*calls & 63)) && hd_stop_is_due();
}

#endif
