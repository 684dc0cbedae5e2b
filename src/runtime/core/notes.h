/* notes.h: remarks about a run that are no failure; see notes.c. */
#ifndef HD_RUNTIME_NOTES_H
#define HD_RUNTIME_NOTES_H

#include "runtime/core/rt.h"

/* One more run in which this was seen at `site`. */
void hd_note_add(enum hd_note_kind kind, u64 site, u64 obj);

/* The last handler of exit() is done: which threads are left over? Ends the run if it is one that
 * checks for threads that nobody joined or detached. */
void hd_notes_at_end(void);

#endif
