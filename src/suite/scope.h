/* scope.h: which code of a program need not be looked at; see scope.c. */
#ifndef HD_SUITE_SCOPE_H
#define HD_SUITE_SCOPE_H

#include "process/worker.h"
#include "suite/suite.h"
#include "version/fingerprint.h"

/* The functions of a program, read once. */
const struct hd_fingerprints *hd_suite_functions(struct hd_suite_programs *p, const char *path);

/* For the cheap run. *s begins as {0}. */
void hd_suite_scope_cheap(struct hd_scope *s, const struct hd_fingerprints *f);
/* For the campaign of a chosen input; returns how many functions are left out. */
u32 hd_suite_scope_chosen(struct hd_scope *s, const struct hd_fingerprints *f,
                          const struct hd_suite_input *in);
void hd_suite_scope_release(struct hd_scope *s);

#endif
