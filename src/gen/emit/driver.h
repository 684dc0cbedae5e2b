/* driver.h: one program per API that runs any test (wire.h), and how it is built. */
#ifndef HD_GEN_DRIVER_H
#define HD_GEN_DRIVER_H

#include <stdio.h>

#include "gen/api.h"

/* The driver's text. */
void hd_gen_driver(FILE *to, const struct hd_api *a);

/* ---- build.c ----------------------------------------------------------------------------- */

/* A new file of this name, in the place of what is there, never through a link. NULL with errno. */
FILE *hd_gen_create(const char *path);
/* Compiles `source` with the user's files and flags (NULL-terminated) to `program`, with
 * -fsanitize=thread. 0 or negative errno with the beginning of what the compiler said; all of it in
 * *words, to be freed (NULL = not wanted). */
int hd_gen_build(const char *source, char *const *flags, const char *program, char **words,
                 struct hd_error *err);

#endif
