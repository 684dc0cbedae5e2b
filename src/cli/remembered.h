/* remembered.h: one build of one program in the store, for commands that show what
 * is remembered (coverage, candidates). */
#ifndef HD_REMEMBERED_H
#define HD_REMEMBERED_H

#include <limits.h>

#include "cli/cli.h"

struct hd_remembered {
    const struct hd_options *o;
    struct hd_store *st;
    char program[PATH_MAX];
    s64 program_id;
    struct hd_store_build build;
    char build_text[65], build_path[PATH_MAX];
    u32 n_builds;
    HD_VEC(struct hd_store_campaign) campaigns; /* of the build */
    s64 last;                                   /* campaign */
    u64 runs;
    struct hd_places places;                    /* for names */
    bool has_bare;                              /* a site of the program has no line */
};

/* The program and build the options ask for; 0 or an exit code, said why. */
int hd_remembered_choose(struct hd_remembered *v);
/* Says what the store said; the exit code. */
int hd_remembered_failed(const struct hd_remembered *v);
/* Texts of a site; from its file if the store has none. They live in `names`. */
void hd_remembered_name(struct hd_remembered *v, const struct hd_store_site *s,
                        struct hd_listed_site *out, struct hd_place_names *names,
                        bool is_function);
void hd_remembered_release(struct hd_remembered *v);

#endif
