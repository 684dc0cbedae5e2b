/* race.h: a race in words; see race.c. */
#ifndef HD_EXPLAIN_RACE_H
#define HD_EXPLAIN_RACE_H

#include "report/explain/model.h"

/* Is the finding a race, and not a failure that one causes? */
bool hd_race_is(const struct hd_finding *f);
/* "changes the result", ...; "" for HD_RACE_NONE. */
const char *hd_race_class_text(u32 class);
const char *hd_race_class_word(u32 class); /* for programs: "changes" */
/* How many accesses it is about: two, three or four. */
u32 hd_race_accesses(const struct hd_race *r);
/* Index of one of them in f->events, ~0u if it is not there. */
u32 hd_race_find(const struct hd_finding *f, u32 which);
/* Is it the pointer to the virtual table of an object? */
bool hd_race_is_vptr(struct hd_model *st);
/* "relaxed", "acquire", ... */
const char *hd_memory_order_text(u8 order);

/* "cache.c:88 in cache_put()" */
void hd_race_place(struct hd_model *st, u32 event, char *buf, size_t size);
/* Three accesses, atomicity.c. */
void hd_atomicity_sentence(struct hd_model *st, FILE *to);
/* Is the first access in a block that the program marks as atomic? */
bool hd_atomicity_is_marked(const struct hd_finding *f);

/* What races, and what that does: sentences with their full stops but for the last. */
void hd_race_sentence(struct hd_model *st, FILE *to);
/* Both accesses with their stacks and threads, locks held, the last synchronization, a hint. */
void hd_race_print(FILE *to, struct hd_model *st, const struct hd_paint *p);
/* One sentence on how to fix it; false if that is not clear. */
bool hd_race_hint(struct hd_model *st, FILE *to);

#endif
