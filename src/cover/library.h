/* library.h: instrumented libraries of a program, and those that have changed (library.c). */
#ifndef HD_COVER_LIBRARY_H
#define HD_COVER_LIBRARY_H

#include "store/store.h"
#include "version/fingerprint.h"

struct hd_cover_library {
    s64 old, new;        /* builds of the store */
    u8 hash[32];         /* build-id of the new one */
    u32 hash_len;
    char *path;
    struct hd_fingerprints was, is;
};
struct hd_cover_libraries {
    HD_VEC(struct hd_cover_library) v;
};

/* The store has a build for it now: notes its functions, if it has instrumented code. */
int hd_cover_library_note(struct hd_store *st, s64 build, const char *path);
/* Libraries with places among what program build `from` was tested for, in whose place there is another
 * file now, which `build` was not tested with. *out begins as {0}. 0 or negative errno. */
int hd_cover_libraries_find(struct hd_store *st, s64 from, s64 build, struct hd_cover_libraries *out);
void hd_cover_libraries_release(struct hd_cover_libraries *l);

/* inherit.c */
int hd_cover_functions_save(struct hd_store *st, s64 build, const struct hd_fingerprints *f);
int hd_cover_functions(struct hd_store *st, s64 build, struct hd_fingerprints *out);

#endif
