/* benign.h: places where a race is meant: the program says so (AnnotateBenignRace), or they are words
 * of atomic instructions in assembly. Known from HD_EV_BENIGN of a run on, wherever it comes in.
 */
#ifndef HD_BENIGN_H
#define HD_BENIGN_H

#include "base/vec.h"
#include "event/event.h"

struct hd_benign {
    HD_VEC(struct hd_event) place; /* by address and bytes, each once; bounded */
};

/* Zeroed: none. An event of any kind: heeded if it is about such a place. */
void hd_benign_event(struct hd_benign *b, const struct hd_event *e);
/* Does the access touch one of them? */
bool hd_benign_has(const struct hd_benign *b, const struct hd_event *access);
void hd_benign_clear(struct hd_benign *b);
void hd_benign_release(struct hd_benign *b);

#endif
