/* decode.h: one instruction of x86-64: how long it is, and where its operand in memory is. No
 * more than finding atomic instructions and loops takes (find.c). */
#ifndef HD_DECODE_H
#define HD_DECODE_H

#include "base/base.h"

#define HD_INSN_MAX 15 /* bytes of an instruction */

enum hd_opcode_map {
    HD_MAP_BYTE,   /* one byte */
    HD_MAP_0F,     /* 0f and a byte */
    HD_MAP_0F38,
    HD_MAP_0F3A,
};

enum hd_insn_segment { HD_SEGMENT_NONE, HD_SEGMENT_THREAD }; /* fs or gs */

struct hd_insn {
    u8 len;
    u8 map;         /* enum hd_opcode_map */
    u8 opcode;      /* its last byte */
    u8 rex;         /* 0 = none */
    bool is_vector; /* VEX or EVEX: no atomic instruction is */
    bool has_lock;
    bool has_repeat; /* f3 */
    bool is_16_bit;  /* 66 */
    bool is_address_32_bit; /* 67 */
    u8 segment;     /* enum hd_insn_segment */
    bool has_modrm;
    u8 modrm, sib;
    u8 at_offset;   /* of the displacement in the instruction; 0 = none */
    s32 offset;     /* the displacement */
    u8 n_immediate; /* bytes at the end */
    s32 immediate;  /* of at most 4 bytes: of jumps and calls, or an operand */
};

/* Up to `end`. False if it is no instruction that this file knows. */
bool hd_insn_decode(const u8 *at, const u8 *end, struct hd_insn *in);

HD_INLINE bool hd_insn_has_memory(const struct hd_insn *in)
{
    return in->has_modrm && in->modrm >> 6 != 3;
}
HD_INLINE bool hd_insn_is_relative(const struct hd_insn *in) /* to its own end: %rip */
{
    return hd_insn_has_memory(in) && (in->modrm & 0xc7) == 5;
}

/* Numbers of registers in the instruction; HD_NO_REGISTER where there is none. */
enum { HD_RAX, HD_RCX, HD_RDX, HD_RBX, HD_RSP, HD_RBP, HD_NO_REGISTER = 16 };
u8 hd_insn_base(const struct hd_insn *in);
u8 hd_insn_index(const struct hd_insn *in);
u8 hd_insn_reg(const struct hd_insn *in); /* the operand that is a register */

#endif
