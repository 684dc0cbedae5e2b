/* tmp.h: folders that this process makes for itself, and nothing else is removed.
 *
 *   BASE/PREFIXXXXXXX/          by mkdtemp, mode 0700
 *   BASE/PREFIXXXXXXX/owner     says who made it; locked (flock) as long as we live
 *
 * A killed heddle leaves its folder behind. It is known again by all of: its name, our
 * user as owner, no rights for others, a file `owner` that names the folder's own
 * device and inode, and a lock that nobody holds. Whatever else has such a name stays.
 * Contents are removed through descriptors: no symbolic link is followed, no mount
 * point entered.
 */
#ifndef HD_TMP_H
#define HD_TMP_H

#include <limits.h>

#include "base/base.h"

struct hd_tmp {
    char path[PATH_MAX]; /* "" = none */
    int dir_fd, lock_fd; /* valid if there is a path */
};

/* A new folder; leftovers of the same prefix in `base` are removed first. 0 or negative
 * errno. */
int hd_tmp_make(struct hd_tmp *t, const char *base, const char *prefix);
/* The folder of this very name, which must be like those of hd_tmp_make in `base`. -EEXIST
 * if something is there that is no leftover, -EINVAL if hd_tmp_make would not use the name. */
int hd_tmp_make_at(struct hd_tmp *t, const char *base, const char *prefix, const char *path);
/* Makes the folder `name` in it, or empties it; what else has the name is removed. */
int hd_tmp_folder(const struct hd_tmp *t, const char *name);
/* Removes it with all that is in it. {0} is fine. */
void hd_tmp_remove(struct hd_tmp *t);
/* It is to outlive us, as long as those live that we exec or fork. */
void hd_tmp_hand_on(const struct hd_tmp *t);
/* Removes what killed processes left in `base`; returns how many folders. */
u32 hd_tmp_sweep(const char *base, const char *prefix);
/* $TMPDIR or /tmp, absolute. 0 or negative errno. */
int hd_tmp_base(char out[PATH_MAX]);

/* mkdir -p for one level; 0 or negative errno. */
int hd_folder_make(const char *path);
/* ... if it is where results are kept (text/folder.h). */
int hd_folder_make_own(const char *path);

#endif
