/* project.h: defaults of a project, from heddle.toml (docs/project.md). */
#ifndef HD_PROJECT_H
#define HD_PROJECT_H

#include <limits.h>

#include "cli/options.h"

struct hd_toml;

/* What was read; texts of options point into it. */
struct hd_project {
    char path[PATH_MAX];  /* "" = there is none */
    struct hd_toml *tree;
    char **text;          /* values made from it */
    u32 n_texts;
};

/* Looks for heddle.toml here and in the folders above, up to the one that holds .git, and
 * sets what it says for the command. HEDDLE_CONFIG names another file; empty: none. 0, or
 * -EINVAL with a sentence that names file and line. */
int hd_project_load(struct hd_options *o, u32 command, struct hd_error *err);
void hd_project_release(struct hd_project *p);

#endif
