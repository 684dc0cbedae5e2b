/* steps.c: see steps.h. */
#include "order/steps.h"

#include <string.h>

void hd_order_steps_release(struct hd_order_steps *o)
{
    hd_vec_release(&o->clock);
    *o = (struct hd_order_steps){0};
}

static void widen(struct hd_order_steps *o, u32 threads)
{
    hd_vec_reserve(&o->clock, (size_t)o->n * threads);
    for (u32 i = o->n; i--;) {
        memmove(&o->clock.at[(size_t)i * threads], &o->clock.at[(size_t)i * o->threads],
                o->threads * sizeof(u32));
        memset(&o->clock.at[(size_t)i * threads + o->threads], 0,
               (threads - o->threads) * sizeof(u32));
    }
    o->threads = threads;
}

void hd_order_steps_cut(struct hd_order_steps *o, u32 n, u32 threads)
{
    o->n = HD_MIN(o->n, n);
    if (threads > o->threads)
        widen(o, threads);
}

void hd_order_steps_add(struct hd_order_steps *o, const u32 *clock)
{
    hd_vec_reserve(&o->clock, ((size_t)o->n + 1) * o->threads);
    memcpy(&o->clock.at[(size_t)o->n * o->threads], clock, o->threads * sizeof(u32));
    o->n++;
}
