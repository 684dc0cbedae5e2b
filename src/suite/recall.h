/* recall.h: what cheap runs of earlier suites showed, and for later ones (recall.c). */
#ifndef HD_SUITE_RECALL_H
#define HD_SUITE_RECALL_H

#include "cover/cover.h"
#include "suite/suite.h"

struct hd_suite_memory {
    struct hd_store *st;     /* NULL = nothing is remembered */
    struct hd_places places; /* builds that were asked for */
};

/* `dir` NULL: nothing is remembered; likewise if the store is in use or cannot be read: who tests will
 * say so. */
void hd_suite_memory_open(struct hd_suite_memory *m, const char *dir);
void hd_suite_memory_close(struct hd_suite_memory *m);

/* Fills in the profile of an input whose cheap run is known. `program`: the file that is run. */
bool hd_suite_recall(struct hd_suite_memory *m, struct hd_suite_input *in, const struct hd_target *program);
/* It was run. Only what can be tested, or has one thread, is worth it. */
void hd_suite_remember(struct hd_suite_memory *m, const struct hd_suite_input *in,
                       const struct hd_target *program);

/* What a cheap run of build `build` with arguments argv[1...], and with nothing else that a suite can give, has shown. */
typedef int hd_suite_recalled(void *self, const struct hd_store_profile *p);
int hd_suite_recall_args(struct hd_store *st, s64 build, char **argv, hd_suite_recalled *fn, void *self);

#endif
