/* dfs.c: every interleaving: at every choice, every thread that can go. Nothing
 * is left out and nothing is reduced: the yardstick, for tiny programs only. */
#include "search/node.h"

static void dfs_start(struct hd_search *s) { s->bound = HD_NO_BOUND; }

static const struct hd_search_ops dfs_ops = {.start = dfs_start, .fresh = hd_search_fresh_all};

const struct hd_search_method hd_search_dfs = {
    .name = "dfs",
    .doc = "every interleaving, one by one",
    .ops = &dfs_ops,
};
