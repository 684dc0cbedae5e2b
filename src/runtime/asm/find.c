/* find.c: see find.h.
 *
 * Left out: operands at the stack pointer (a barrier: lock orl $0, (%rsp)) and in thread-local
 * memory; an instruction that something jumps into (around its prefix); functions that
 * decode.c cannot read to their end.
 *
 * A loop with `pause` may wait for another thread if it reads memory and does not keep a count
 * there (in its own frame); else it only takes time. Where `pause` is in no loop, its caller may be. */
#include "runtime/asm/find.h"

#define HITS 256 /* in a function; those beyond stay as they are */

struct code {
    const u8 *start, *end;
};

static u8 extension(const struct hd_insn *in) { return in->modrm >> 3 & 7; }

/* ---- what is it? ------------------------------------------------------------------ */

bool hd_asm_is_exchange(const struct hd_insn *in)
{
    return in->map == HD_MAP_BYTE && (in->opcode & 0xfe) == 0x86;
}

bool hd_asm_is_add(const struct hd_insn *in)
{
    return in->map == HD_MAP_0F && (in->opcode & 0xfe) == 0xc0;
}

bool hd_asm_is_compare(const struct hd_insn *in)
{
    return in->map == HD_MAP_0F && (in->opcode & 0xfe) == 0xb0;
}

bool hd_asm_is_compare_pair(const struct hd_insn *in)
{
    return in->map == HD_MAP_0F && in->opcode == 0xc7 && extension(in) == 1;
}

bool hd_asm_is_bit(const struct hd_insn *in)
{
    if (in->map != HD_MAP_0F)
        return false;
    return in->opcode == 0xab || in->opcode == 0xb3 || in->opcode == 0xbb ||
           (in->opcode == 0xba && extension(in) > 4);
}

/* add, or, adc, sbb, and, sub, xor; not, neg; inc, dec */
static bool is_arithmetic(const struct hd_insn *in)
{
    if (in->map != HD_MAP_BYTE)
        return false;
    switch (in->opcode) {
    case 0x80: case 0x81: case 0x83: return extension(in) != 7;
    case 0xf6: case 0xf7: return extension(in) == 2 || extension(in) == 3;
    case 0xfe: case 0xff: return extension(in) < 2;
    default: return in->opcode < 0x38 && (in->opcode & 7) < 2;
    }
}

u32 hd_asm_size(const struct hd_insn *in)
{
    if (hd_asm_is_compare_pair(in))
        return in->rex & 8 ? 16 : 8;
    if (!(in->opcode & 1) && !hd_asm_is_bit(in))
        return 1;
    return in->rex & 8 ? 8 : in->is_16_bit ? 2 : 4;
}

static bool is_update(const struct hd_insn *in)
{
    if (!hd_insn_has_memory(in) || in->is_vector || in->segment || hd_insn_base(in) == HD_RSP)
        return false;
    return hd_asm_is_exchange(in) ||
           (in->has_lock && (is_arithmetic(in) || hd_asm_is_add(in) || hd_asm_is_compare(in) ||
                             hd_asm_is_compare_pair(in) || hd_asm_is_bit(in)));
}

static bool is_pause(const struct hd_insn *in)
{
    return in->map == HD_MAP_BYTE && in->opcode == 0x90 && in->has_repeat && in->len == 2;
}

static bool is_jump(const struct hd_insn *in)
{
    if (in->is_vector)
        return false;
    if (in->map == HD_MAP_0F)
        return (in->opcode & 0xf0) == 0x80;
    return in->map == HD_MAP_BYTE && ((in->opcode & 0xf0) == 0x70 || (in->opcode & 0xfc) == 0xe0 ||
                                      in->opcode == 0xe9 || in->opcode == 0xeb);
}

static bool is_call(const struct hd_insn *in) { return in->map == HD_MAP_BYTE && in->opcode == 0xe8; }

static bool is_access(const struct hd_insn *in)
{
    bool is_address = in->map == HD_MAP_BYTE && in->opcode == 0x8d; /* lea */
    bool is_nothing = in->map == HD_MAP_0F && !in->is_vector && (in->opcode == 0x1f || in->opcode == 0x18);
    return hd_insn_has_memory(in) && !is_address && !is_nothing;
}

static bool is_in_frame(const struct hd_insn *in)
{
    return hd_insn_base(in) == HD_RSP || hd_insn_base(in) == HD_RBP;
}

/* mov and arithmetic to memory */
static bool is_write(const struct hd_insn *in)
{
    bool is_move = in->map == HD_MAP_BYTE && (in->opcode == 0x88 || in->opcode == 0x89 ||
                                              in->opcode == 0xc6 || in->opcode == 0xc7);
    return is_access(in) && (is_move || is_arithmetic(in));
}

/* ---- where is it? ------------------------------------------------------------------ */

/* Does a jump of the function lead between the bytes of the instruction? */
static bool is_entered(struct code f, const u8 *at, u32 len)
{
    struct hd_insn in;
    for (const u8 *p = f.start; p < f.end && hd_insn_decode(p, f.end, &in); p += in.len) {
        const u8 *to = p + in.len + in.immediate;
        if (is_jump(&in) && to > at && to < at + len)
            return true;
    }
    return false;
}

/* The smallest loop around `at`: from where a jump back leads to, up to its end. */
static struct code loop_around(struct code f, const u8 *at)
{
    struct code loop = {NULL, NULL};
    struct hd_insn in;
    for (const u8 *p = f.start; p < f.end && hd_insn_decode(p, f.end, &in); p += in.len) {
        const u8 *to = p + in.len + in.immediate, *end = p + in.len;
        if (is_jump(&in) && p > at && to <= at && to >= f.start &&
            (!loop.start || end - to < loop.end - loop.start))
            loop = (struct code){to, end};
    }
    return loop;
}

static bool may_wait(struct code f, const u8 *at)
{
    struct code loop = loop_around(f, at);
    struct hd_insn in;
    bool reads_frame = false, counts = false;
    if (!loop.start)
        return true;
    for (const u8 *p = loop.start; p < loop.end && hd_insn_decode(p, loop.end, &in); p += in.len) {
        if (is_call(&in) || (is_access(&in) && !is_in_frame(&in)))
            return true;
        reads_frame |= is_access(&in);
        counts |= is_write(&in);
    }
    return reads_frame && !counts;
}

/* Most functions have none: that is seen without decoding them. */
static bool may_have_any(struct code f, bool wants_updates)
{
    for (const u8 *p = f.start; p < f.end; p++)
        if ((*p == 0xf3 && p + 1 < f.end && p[1] == 0x90) ||
            (wants_updates && (*p == 0xf0 || (*p & 0xfe) == 0x86)))
            return true;
    return false;
}

static void tell(struct code f, const u8 *at, hd_asm_found_fn *found, void *arg)
{
    struct hd_insn in;
    hd_insn_decode(at, f.end, &in);
    if (is_entered(f, at, in.len))
        return;
    if (!is_pause(&in))
        found(HD_ASM_UPDATE, at, &in, arg);
    else if (may_wait(f, at))
        found(HD_ASM_WAIT, at, &in, arg);
}

void hd_asm_find(const u8 *start, const u8 *end, bool wants_updates, hd_asm_found_fn *found, void *arg)
{
    struct code f = {start, end};
    struct hd_insn in;
    const u8 *hit[HITS], *p = start;
    u32 n = 0;
    if (!may_have_any(f, wants_updates))
        return;
    for (; p < end && hd_insn_decode(p, end, &in); p += in.len)
        if (n < HITS && (is_pause(&in) || (wants_updates && is_update(&in))))
            hit[n++] = p;
    for (u32 i = 0; p == end && i < n; i++)
        tell(f, hit[i], found, arg);
}
