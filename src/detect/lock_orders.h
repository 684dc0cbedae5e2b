/* lock_orders.h: circles of locks that the runs of a campaign showed to be possible (observe/race/
 * lock_order.h), one entry for each set of places. Bounded. */
#ifndef HD_LOCK_ORDERS_H
#define HD_LOCK_ORDERS_H

#include "base/map.h"
#include "base/vec.h"
#include "observe/race/lock_order.h"

#define HD_LOCK_ORDERS_MOST 128

struct hd_lock_circle {
    struct hd_lock_order_seen is;
    u32 times;
};

struct hd_lock_orders {
    HD_VEC(struct hd_lock_circle) all;
    struct hd_map number; /* by the places */
};

void hd_lock_orders_release(struct hd_lock_orders *l);
/* `fixed`: bit i: the address of lock i means the same lock in every run. */
void hd_lock_orders_add(struct hd_lock_orders *l, const struct hd_lock_order_seen *s, u32 fixed);

#endif
