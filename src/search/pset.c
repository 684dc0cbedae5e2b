/* pset.c: search guided by predecessor sets (Yu and Narayanasamy, ISCA 2009), to compare
 * with hapset: synchronization is not learned, and a statement is its site alone. Orders of
 * locks are therefore never known, and a loop that waits under a lock is tried again and
 * again (the example of figure 2 in Wang, Said, Gupta, ICSE 2011).
 */
#include "search/node.h"

static const struct hd_search_ops pset_ops = {
    .start = hd_hapset_start,
    .fresh = hd_dpor_fresh,
    .cost = hd_search_preempts,
    .ran = hd_hapset_ran,
    .again = hd_hapset_again,
    .learns = true,
    .is_pset = true,
};

const struct hd_search_method hd_search_pset = {
    .name = "pset",
    .doc = "as hapset, by memory accesses and sites alone",
    .param_name = "preemptions",
    .param_default = HD_NO_BOUND,
    .ops = &pset_ops,
};
