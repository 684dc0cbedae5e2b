/* write.h: all of it, or why not. Host only. */
#ifndef HD_WRITE_H
#define HD_WRITE_H

#include "base/base.h"

/* 0 or negative errno; signals do not end it. */
int hd_write_all(int fd, const void *from, size_t n);

#endif
