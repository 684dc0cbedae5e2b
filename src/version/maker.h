/* maker.h: what the files that read code share. Nobody outside of version/ includes it.
 *
 *   fingerprint.c  functions: instructions, and what addresses in them mean
 *   piece.c        the same of their pieces: what was inlined, and the rest
 *   use.c          which variables they access, and which locks they take
 */
#ifndef HD_MAKER_H
#define HD_MAKER_H

#include "base/map.h"
#include "symbol/image.h"
#include "symbol/inlined.h"
#include "symbol/symbol.h"
#include "version/capstone.h"
#include "version/under.h"

/* A register holds an argument of the function, moved by an offset. */
struct hd_origin {
    u32 reg;           /* number of DWARF + 1, 0 = it does not */
    u64 offset;
};

/* A call of something with a name, or of a place in the file. */
struct hd_call {
    u32 function;      /* index in the list */
    u64 to;
    s32 locks;         /* that it takes; negative: that it gives up */
    bool is_jump;      /* at the end of the function */
};

struct hd_reading {
    u64 hash, key;
    u32 inside;                 /* piece directly inside that was met last, 0 = none since an instruction of its own */
};
struct hd_piece_call {
    u32 piece;                  /* index in the list */
    u64 to;
};
struct hd_piece_back {
    u32 piece, offset;          /* in the function */
};

/* What is known of the pieces (piece.c) while code is read. */
struct hd_pieces {
    struct hd_inlines inlined;  /* of the function */
    HD_VEC(u32) of;             /* its instructions that do something -> piece, from 0 for the rest */
    HD_VEC(u32) ordinal;        /* ... which of that piece it is */
    HD_VEC(u64) at;             /* ... its address */
    HD_VEC(struct hd_reading) v; /* its pieces */
    u32 now;                    /* piece that is read */
    bool is_on;
    bool falls;                 /* the code goes on behind the last instruction */
    HD_VEC(struct hd_piece_back) back;   /* its calls */
    HD_VEC(struct hd_piece_call) called; /* of all functions */
    HD_VEC(bool) is_sync;       /* of each piece of the list: what it does may order what is around it */
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
    HD_VEC(struct hd_call) called; /* by function */
    struct hd_pieces pieces;
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

/* fingerprint.c: takes the instruction into the hash. */
void hd_maker_instruction(struct hd_maker *m, const cs_insn *in);
/* The function that a call leads to, UINT32_MAX = none of the file. */
u32 hd_maker_function(const struct hd_maker *m, u64 to);

/* piece.c: the pieces of a function, read a second time; what a place in it means for the piece that is read. */
void hd_pieces_add(struct hd_maker *m, const struct hd_image_symbol *s, cs_insn *in);
void hd_pieces_place(struct hd_maker *m, u64 addr);
/* When all have been read. */
void hd_pieces_end(struct hd_maker *m);

/* use.c, for each function and each of its instructions, in order */
void hd_uses_begin(struct hd_maker *m);
void hd_uses_add(struct hd_maker *m, const cs_insn *in);

#endif
