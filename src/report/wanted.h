/* wanted.h: a failure that somebody saw elsewhere, as a log, an assertion or a stack tells it:
 * is a finding the same one? See wanted.c. */
#ifndef HD_WANTED_H
#define HD_WANTED_H

#include "error/error.h"
#include "report/expectation.h"

#define HD_WANTED_FRAMES 32

struct hd_wanted {
    char assertion[400];     /* text of the assertion, "" = none */
    bool has_expectation;
    struct hd_expectation expectation; /* of a test framework */
    u32 signo;               /* 0 = not known */
    u32 n_frames;            /* of the first stack, innermost first, without libc's */
    struct {
        char function[128];
        char file[128];      /* without folders, "" = not known */
    } frame[HD_WANTED_FRAMES];
};

/* What a text says; false: nothing of a failure is in it. */
bool hd_wanted_parse(struct hd_wanted *w, const char *text);
/* ... a file: a text, or a core of `program` (NULL = not known). 0 or negative errno with a
 * sentence. */
int hd_wanted_read(struct hd_wanted *w, const char *path, const char *program, struct hd_error *err);
/* What gdb says of a core; NULL = nothing. To be freed. core.c */
char *hd_core_text(const char *core, const char *program);
bool hd_wanted_is(const struct hd_wanted *w, const struct hd_finding *f, struct hd_symbols *s);
/* Is this function among its frames? */
bool hd_wanted_is_near(const struct hd_wanted *w, const char *function);
/* "the assertion `x == 1`", for people. */
void hd_wanted_format(const struct hd_wanted *w, char *buf, size_t size);

#endif
