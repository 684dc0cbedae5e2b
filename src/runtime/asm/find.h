/* find.h: instructions of a function by which threads wait for one another unseen: compilers turn
 * atomic operations into calls (-fsanitize=thread), so where there is an atomic instruction it was
 * written in assembly, or its file was compiled otherwise. */
#ifndef HD_ASM_FIND_H
#define HD_ASM_FIND_H

#include "runtime/asm/decode.h"

enum hd_asm_kind {
    HD_ASM_UPDATE, /* an atomic update of memory: lock ..., xchg */
    HD_ASM_WAIT,   /* pause, in a loop that may wait for memory to change */
};

typedef void hd_asm_found_fn(enum hd_asm_kind kind, const u8 *at, const struct hd_insn *in, void *arg);
/* Looks through the function. Without `wants_updates` for HD_ASM_WAIT only. */
void hd_asm_find(const u8 *start, const u8 *end, bool wants_updates, hd_asm_found_fn *found, void *arg);

/* Of an HD_ASM_UPDATE. */
u32 hd_asm_size(const struct hd_insn *in);        /* bytes of memory */
bool hd_asm_is_exchange(const struct hd_insn *in); /* xchg */
bool hd_asm_is_add(const struct hd_insn *in);     /* xadd */
bool hd_asm_is_compare(const struct hd_insn *in); /* cmpxchg, of up to 8 bytes */
bool hd_asm_is_compare_pair(const struct hd_insn *in); /* cmpxchg8b, cmpxchg16b */
bool hd_asm_is_bit(const struct hd_insn *in);     /* bts, btr, btc */

#endif
