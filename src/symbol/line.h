/* line.h: a line of source as code, without what does not count: comments and white space. */
#ifndef HD_LINE_H
#define HD_LINE_H

#include "base/base.h"

/* Writes `text` without comments and with no white space but one blank where two words would become
 * one; constants of characters stay as they are. A comment that began on a line before is known by
 * its end alone, one that goes on ends the line. Returns the length; `out` is cut off at `size`. */
size_t hd_line_plain(const char *text, char *out, size_t size);

/* Are two lines the same code? `cut`: length at which either may have been cut off. */
bool hd_line_is_same(const char *a, const char *b, size_t cut);

#endif
