/* module.h: the objects loaded into the target, listed in shared memory so
 * that the host can name addresses after the process is gone. */
#ifndef HD_MODULE_H
#define HD_MODULE_H

#include "runtime/core/rt.h"

void hd_module_list(void);     /* take stock of all loaded objects */
void hd_module_know(u64 addr); /* take stock again if addr is in none of them */

#endif
