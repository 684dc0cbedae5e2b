/* functions.h: where the functions of a loaded module are, by its table for unwinding: compilers
 * write one for every function, and it stays when symbols are stripped. */
#ifndef HD_FUNCTIONS_H
#define HD_FUNCTIONS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <link.h>

#include "base/base.h"

typedef void hd_function_fn(const u8 *start, const u8 *end, void *arg);
void hd_functions_each(const struct dl_phdr_info *info, hd_function_fn *each, void *arg);

#endif
