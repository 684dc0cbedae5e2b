/* inherit.h: what the target has from its parent: descriptors, limits, mask, environment.
 * See inherit.c. */
#ifndef HD_PROCESS_INHERIT_H
#define HD_PROCESS_INHERIT_H

#include "event/inherited.h"

/* At the very start of heddle: what it has now is its caller's. */
void hd_inherit_note(void);
const struct hd_inherited *hd_inherit_caller(void);
/* From now on it also has these variables, NAME=value (NULL: as it came to us). 0 or negative
 * errno. */
int hd_inherit_over(char *const *env);
/* Then: heddle itself gets by with any stack limit of its caller's. */
void hd_inherit_make_room(void);
/* Before exec of the target. First the limits; returns which could not be set. */
u32 hd_inherit_limits(const struct hd_inherited *h);
/* Then the rest: leaves open 0..2, our own descriptors from HD_SHM_FD on and those of h, and
 * makes what is missing of them. 0 or negative errno. */
int hd_inherit_apply(const struct hd_inherited *h);
/* NAME=value strings of h's environment; the list is the caller's to free, not the strings. */
char **hd_inherit_env(const struct hd_inherited *h);
/* What of a recorded h the target did not get, as "a; b; c" to be freed; NULL = it got all. */
char *hd_inherit_lost(const struct hd_inherited *h, u32 lost);

#endif
