/* places.h: the sites of a schedule as source positions, so that it can be followed in
 * another build of the program. */
#ifndef HD_PLACES_H
#define HD_PLACES_H

#include "event/replay/replay.h"
#include "symbol/symbol.h"

/* Fills r->places for the sites r speaks of, as far as they have a function and a line;
 * `modules` are those of the recorded run. What is there already stays. */
void hd_places_note(struct hd_replay *r, const struct hd_module *modules, u32 n_modules,
                    struct hd_symbols *s);

/* Moves every site of r to where its place is in the modules given, which are of a later
 * build: same function, same text of the line, same call on it. Sites that are not found
 * are forgotten. *found of *all places were. False if r has no places: it is unchanged. */
bool hd_places_move(struct hd_replay *r, const struct hd_module *modules, u32 n_modules,
                    struct hd_symbols *s, u32 *found, u32 *all);

#endif
