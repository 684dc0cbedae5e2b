/* fingerprint.h: what the functions of a build do, in a form that survives a rebuild.
 *
 * The hash of a function is over its instructions with every address replaced by what is
 * there: the name of a function or variable, the text of a string, the distance of a jump
 * inside of the function. A number that is the instruction's own source line (assert) does
 * not count. So moving code, editing comments or adding a function elsewhere changes
 * nothing; what the function does, calls or touches does.
 *
 * Where the compiler has put other functions into the code of a function, each of these parts and the rest have
 * a hash of their own (piece.c).
 *
 * Deviation from the cross-input paper, which compares source text: machine code also
 * notices what a changed macro, inline function or compiler flag did to a function.
 */
#ifndef HD_FINGERPRINT_H
#define HD_FINGERPRINT_H

#include "base/vec.h"

/* An access of instrumented code to a variable with a name, or to a member of a struct that an argument
 * of the function points to. */
#define HD_USE_LOCKS 4
struct hd_use_lock {
    u64 lock;         /* hash of its name */
    u64 type;         /* ... of the struct that it is a member of, 0 = it has a name */
    bool is_shared;   /* held for reading */
};
struct hd_use {
    u32 function;     /* index in the list */
    bool is_write;
    u64 at;           /* address of the call */
    char *object;     /* "stats", "stats+8"; "struct cache.hits" */
    u64 type;         /* a member, of whatever object of that type: hash of it; 0 = it has a name */
    bool has_own_lock; /* ... under a lock that is a member of the same type */
    struct hd_use_lock lock[HD_USE_LOCKS]; /* that the code holds there (under.h); .lock 0 = no more */
};

struct hd_fingerprint {
    char *name;
    u64 start, size;
    u64 hash;
    u32 accesses;     /* calls of hooks for memory that may be shared */
    u32 calls;        /* of anything else but hooks */
    bool has_loop;
    bool is_called;   /* by name, in this file */
    u32 line;         /* where the function begins; 0 = not known */
    char *file;       /* "" = not known */
    u32 piece, pieces; /* its pieces, from the first in the list; none if nothing was inlined into it */
};

/* The rest of a function, its first piece, or the code of a function that was inlined into it. */
struct hd_piece {
    u32 around;       /* index of the piece that it is part of; of the rest: its own */
    char *name;       /* of the inlined function, "" = the rest, or not known */
    char *file;       /* where that is written; "" and 0: not known */
    u32 line;
    u64 hash;         /* with that of all pieces around it */
    u64 own;          /* of its instructions alone; not in the store */
    u64 text;         /* hash of its source lines; 0 = not known */
    u32 back, backs;  /* its calls, from the first in the list */
};

/* A call of a hook for memory that may be shared. */
struct hd_hook_call {
    u32 function;     /* index in the list */
    u64 back;         /* where it returns to: the site of the access */
};

struct hd_fingerprints {
    HD_VEC(struct hd_fingerprint) v; /* by address */
    HD_VEC(struct hd_use) uses;      /* by function; only if they were asked for */
    HD_VEC(struct hd_hook_call) hooks; /* likewise */
    HD_VEC(struct hd_piece) pieces;  /* by function */
    HD_VEC(u32) backs;               /* by piece: where a call returns to, from the start of the function */
};

/* Of an ELF file; one without symbols gives an empty list. -ENOEXEC: not to be read. */
int hd_fingerprints_make(struct hd_fingerprints *f, const char *path);
/* ... and its `uses`, which take as long again. */
int hd_fingerprints_make_uses(struct hd_fingerprints *f, const char *path);
/* The function that begins at an address; NULL: none. */
struct hd_fingerprint *hd_fingerprints_at(const struct hd_fingerprints *f, u64 start);
void hd_fingerprints_release(struct hd_fingerprints *f);
/* Does debug information say where functions are? Without it an own line that code hands on (assert) counts. */
bool hd_fingerprints_has_lines(const struct hd_fingerprints *f);

#endif
