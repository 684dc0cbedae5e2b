/* revision.h: the commit that a program was built from, asked of git; see revision.c. */
#ifndef HD_REVISION_H
#define HD_REVISION_H

#include "base/base.h"

#define HD_REVISION 64 /* bytes of a commit's name, with the end */

/* Of the work tree that the file is in, else of the one we are in; "" = there is none. */
void hd_revision_of(const char *file, char out[HD_REVISION]);
/* Full name of what `text` names (a branch, a tag, origin/main) there; false: nothing. */
bool hd_revision_find(const char *file, const char *text, char out[HD_REVISION]);
/* Is commit `a` the same as `b`, or one that `b` goes back to? */
bool hd_revision_is_before(const char *file, const char *a, const char *b);

#endif
