/* suppress.h: findings the user does not want to hear of, in ThreadSanitizer's
 * format: one `type:pattern` per line (docs/suppressions.md). */
#ifndef HD_SUPPRESS_H
#define HD_SUPPRESS_H

#include "base/vec.h"
#include "error/error.h"
#include "report/finding.h"

struct hd_suppression {
    u8 type;       /* index in the table of types, suppress.c */
    u32 line;      /* in the file */
    u64 used;      /* findings or notes it hid */
    char *pattern;
};

struct hd_suppressions {
    char path[512];
    bool is_borrowed; /* meant for another tool: lines that are not used are no news */
    HD_VEC(struct hd_suppression) v;
};

/* 0, or negative errno with a sentence that names file and line. */
int hd_suppress_load(struct hd_suppressions *s, const char *path, struct hd_error *err);
void hd_suppress_release(struct hd_suppressions *s);

/* The first that hides the finding, its use counted; NULL if none does (or s is
 * NULL). Pre: f is identified. */
struct hd_suppression *hd_suppress_find(struct hd_suppressions *s, const struct hd_finding *f,
                                        struct hd_symbols *sym);
/* ... by its id alone: a `finding:` line. */
struct hd_suppression *hd_suppress_id(struct hd_suppressions *s, const char *id);
/* The same for a remark about a thread created at `site`. */
struct hd_suppression *hd_suppress_note(struct hd_suppressions *s, const struct hd_note *n,
                                        struct hd_symbols *sym);

/* "race:pattern" as in the file. */
void hd_suppress_text(const struct hd_suppression *p, char *buf, size_t size);

/* A line that would hide findings like f by function: "deadlock:^transfer$". The
 * line that hides exactly f is always "finding:<id>". False if there is none. */
bool hd_suppress_suggest(const struct hd_finding *f, struct hd_symbols *sym, char *buf,
                         size_t size);

/* TSan's patterns: `*` is any text, `^` and `$` at the ends anchor; without them
 * the pattern may stand anywhere in `text`. */
bool hd_suppress_matches(const char *pattern, const char *text);

#endif
