/* overview.h: what a store remembers, for a page and for the terminal: findings, campaigns,
 * curves, candidates of all its programs. */
#ifndef HD_OVERVIEW_H
#define HD_OVERVIEW_H

#include <stdio.h>

#include "store/store.h"

/* Writes the page. `dir` is the folder of the store, for people. A finding gets a link to
 * "ID.html" if has_page says so. 0 or a negative errno (hd_store_error). */
int hd_overview_html(FILE *to, struct hd_store *st, const char *dir,
                     bool (*has_page)(void *self, const char *id), void *self);

#endif
