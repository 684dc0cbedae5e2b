/* maker.h: what the files that read code share. Nobody outside of version/ includes it.
 *
 *   fingerprint.c  functions: instructions, and what addresses in them mean
 *   use.c          which variables they access, and which locks they take
 */
#ifndef HD_MAKER_H
#define HD_MAKER_H

#include "symbol/image.h"
#include "symbol/symbol.h"
#include "version/capstone.h"
#include "version/under.h"

/* A register holds an argument of the function, moved by an offset. */
struct hd_origin {
    u32 reg;           /* number of DWARF + 1, 0 = it does not */
    u64 offset;
};

struct hd_maker {
    struct hd_fingerprints *out;
    struct hd_image *image;
    struct hd_symbols *symbols;
    struct hd_capstone decoder;
    u64 start, size;   /* of the function */
    u64 hash;
    u64 address[X86_REG_ENDING]; /* that a register was last set to, 0 = not known */
    struct hd_origin origin[X86_REG_ENDING];
    bool has_uses;     /* they are asked for */
    struct hd_under held;
    u32 function;
    u32 accesses, calls;
    u32 cases;          /* of a switch that may follow */
    bool has_loop;
    HD_VEC(u64) called; /* addresses, in any order */
};

static inline u64 hd_mix(u64 h, u64 value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static inline u64 hd_mix_bytes(u64 h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const u8 *)p)[i]) * 1099511628211u;
    return hd_mix(h, n);
}

/* What a function that is called does, as far as it counts for locks. */
enum hd_called {
    HD_CALL_OTHER, HD_CALL_READ, HD_CALL_WRITE, HD_CALL_LOCK, HD_CALL_LOCK_SHARED, HD_CALL_UNLOCK,
    HD_CALL_NEVER_BACK,
};
enum hd_called hd_called_what(const char *called); /* by its name; NULL = it has none */

/* use.c, for each function and each of its instructions, in order */
void hd_uses_begin(struct hd_maker *m);
void hd_uses_add(struct hd_maker *m, const cs_insn *in);

#endif
