/* uptime.h: /proc/uptime in virtual time. */
#ifndef HD_UPTIME_H
#define HD_UPTIME_H

#include "runtime/core/rt.h"

bool hd_is_uptime_path(const char *path);
/* In its place, opened with `flags`: descriptor or negative errno. Baton held. */
int hd_uptime_open(int flags, u64 site);
/* It is going to be read: from its beginning it tells the time of now. */
void hd_uptime_read(int fd, u64 site);

#endif
