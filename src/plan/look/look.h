/* look.h: what the inputs of a suite have in common while they are looked at, one after the other (look.c). */
#ifndef HD_LOOK_H
#define HD_LOOK_H

#include "detect/known.h"

struct hd_look {
    struct hd_known known; /* races and violations, whatever came of them */
    u32 inputs;            /* that were looked at */
};

void hd_look_release(struct hd_look *l);

#endif
