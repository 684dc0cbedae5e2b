/* ranges.h: where functions lie in a program's file, as text for the target. */
#ifndef HD_SYMBOL_RANGES_H
#define HD_SYMBOL_RANGES_H

#include "base/base.h"

/* "put,get" -> "1190-11f0,2000-2040", addresses of the file in hexadecimal; "all" stays what it
 * is. Names as the linker knows them, or the C++ name up to its parameters. -ENOEXEC: the file
 * cannot be read; -ENOENT, -ENOSPC: *bad is the name that is not there, or has no room. */
int hd_symbol_ranges(const char *path, const char *names, char *to, size_t size,
                     const char **bad);

#endif
