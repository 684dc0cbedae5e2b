/* pages.h: memory for code and constants of modules that was only looked at: see pages.c. */
#ifndef HD_PAGES_H
#define HD_PAGES_H

#include "runtime/core/rt.h"

void hd_pages_note(void);      /* which of them are there already */
void hd_pages_give_back(void); /* those that came since */

#endif
