/* decode.c: see decode.h. What follows an opcode is a letter in a table:
 *
 *   .   nothing           m   operand byte (modrm)     b   a byte       z   4 bytes, 2 with 66
 *   B   m and b           Z   m and z                  j   a jump of a byte   J   of 4
 *   v   4 bytes, 2 with 66, 8 with REX.W               o   an address   w   2 bytes   e   3 bytes
 *   g   m, and b if it is a test                       G   m, and z if it is a test
 *   -   a prefix, or not known here: programs in user mode have none of these
 */
#include "runtime/asm/decode.h"

static const char one_byte[] = "mmmmbz--mmmmbz--" /* 00 */
                               "mmmmbz--mmmmbz--"
                               "mmmmbz--mmmmbz--" /* 20 */
                               "mmmmbz--mmmmbz--"
                               "----------------" /* 40 */
                               "................"
                               "---m----zZbB...." /* 60 */
                               "jjjjjjjjjjjjjjjj"
                               "BZ-Bmmmmmmmmmmmm" /* 80 */
                               "..........-....."
                               "oooo....bz......" /* a0 */
                               "bbbbbbbbvvvvvvvv"
                               "BBw.--BZe.w..b-." /* c0 */
                               "mmmm---.mmmmmmmm"
                               "jjjjbbbbJJ-j...." /* e0 */
                               "-.--..gG......mm";

static const char two_bytes[] = "mmmm-.....-.-m.B" /* 00 */
                                "mmmmmmmmmmmmmmmm"
                                "--------mmmmmmmm" /* 20 */
                                "......-.--------"
                                "mmmmmmmmmmmmmmmm" /* 40 */
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm" /* 60 */
                                "BBBBmmm.mmmmmmmm"
                                "JJJJJJJJJJJJJJJJ" /* 80 */
                                "mmmmmmmmmmmmmmmm"
                                "...mBm--...mBmmm" /* a0 */
                                "mmmmmmmmmmBmmmmm"
                                "mmBmBBBm........" /* c0 */
                                "mmmmmmmmmmmmmmmm"
                                "mmmmmmmmmmmmmmmm" /* e0 */
                                "mmmmmmmmmmmmmmmm";

struct cursor {
    const u8 *at, *end;
};

static bool byte(struct cursor *c, u8 *b)
{
    if (c->at == c->end)
        return false;
    *b = *c->at++;
    return true;
}

/* A number of n bytes, the lowest first. */
static bool number(struct cursor *c, u32 n, s32 *value)
{
    if ((u64)(c->end - c->at) < n)
        return false;
    u32 bits = 0;
    for (u32 i = 0; i < HD_MIN(n, 4u); i++)
        bits |= (u32)c->at[i] << 8 * i;
    c->at += n;
    *value = n == 1 ? (int8_t)bits : n == 2 ? (int16_t)bits : (s32)bits;
    return true;
}

static bool prefix(struct hd_insn *in, u8 b)
{
    switch (b) {
    case 0xf0: in->has_lock = true; return true;
    case 0xf3: in->has_repeat = true; return true;
    case 0x66: in->is_16_bit = true; return true;
    case 0x67: in->is_address_32_bit = true; return true;
    case 0x64: case 0x65: in->segment = HD_SEGMENT_THREAD; return true;
    case 0xf2: case 0x2e: case 0x36: case 0x3e: case 0x26: return true;
    default: return false;
    }
}

static bool escaped(struct cursor *c, struct hd_insn *in)
{
    if (!byte(c, &in->opcode))
        return false;
    in->map = in->opcode == 0x38 ? HD_MAP_0F38 : in->opcode == 0x3a ? HD_MAP_0F3A : HD_MAP_0F;
    return in->map == HD_MAP_0F || byte(c, &in->opcode);
}

/* Behind the first byte of VEX (c5, c4) or EVEX (62). */
static bool vector(struct cursor *c, struct hd_insn *in, u8 first)
{
    u8 b, rest;
    if (!byte(c, &b))
        return false;
    in->is_vector = true;
    in->map = first == 0xc5 ? HD_MAP_0F : b & (first == 0xc4 ? 0x1f : 7);
    for (u32 i = first == 0xc5 ? 0 : first == 0xc4 ? 1 : 2; i > 0; i--)
        if (!byte(c, &rest))
            return false;
    return in->map != HD_MAP_BYTE && in->map <= HD_MAP_0F3A && byte(c, &in->opcode);
}

static bool opcode(struct cursor *c, struct hd_insn *in)
{
    u8 b;
    do {
        if (!byte(c, &b))
            return false;
    } while (prefix(in, b));
    if ((b & 0xf0) == 0x40) {
        in->rex = b;
        if (!byte(c, &b))
            return false;
    }
    if (b == 0x0f)
        return escaped(c, in);
    if (b == 0xc4 || b == 0xc5 || b == 0x62)
        return vector(c, in, b);
    in->opcode = b;
    return true;
}

static bool operand(struct cursor *c, struct hd_insn *in, const u8 *start)
{
    if (!byte(c, &in->modrm))
        return false;
    in->has_modrm = true;
    u8 mod = in->modrm >> 6, rm = in->modrm & 7;
    if (mod == 3)
        return true;
    if (rm == 4 && !byte(c, &in->sib))
        return false;
    bool has_no_base = rm == 4 ? (in->sib & 7) == 5 : rm == 5;
    u32 n = mod == 1 ? 1 : mod == 2 || has_no_base ? 4 : 0;
    if (n)
        in->at_offset = (u8)(c->at - start);
    return number(c, n, &in->offset);
}

static u32 immediate(const struct hd_insn *in, char letter)
{
    u32 word = in->is_16_bit && !(in->rex & 8) ? 2 : 4;
    bool is_test = (in->modrm >> 3 & 7) < 2;
    switch (letter) {
    case 'b': case 'B': case 'j': return 1;
    case 'z': case 'Z': return word;
    case 'J': return 4;
    case 'v': return in->rex & 8 ? 8 : word;
    case 'o': return in->is_address_32_bit ? 4 : 8;
    case 'w': return 2;
    case 'e': return 3;
    case 'g': return is_test ? 1 : 0;
    case 'G': return is_test ? word : 0;
    default: return 0;
    }
}

bool hd_insn_decode(const u8 *at, const u8 *end, struct hd_insn *in)
{
    struct cursor c = {at, end - at > HD_INSN_MAX ? at + HD_INSN_MAX : end};
    *in = (struct hd_insn){0};
    if (!opcode(&c, in))
        return false;
    char letter = in->map == HD_MAP_BYTE   ? one_byte[in->opcode]
                  : in->map == HD_MAP_0F   ? two_bytes[in->opcode]
                  : in->map == HD_MAP_0F38 ? 'm'
                                           : 'B';
    if (letter == '-')
        return false;
    bool has_operand = letter == 'm' || letter == 'B' || letter == 'Z' || letter == 'g' || letter == 'G';
    if (has_operand && !operand(&c, in, at))
        return false;
    in->n_immediate = (u8)immediate(in, letter);
    if (!number(&c, in->n_immediate, &in->immediate))
        return false;
    in->len = (u8)(c.at - at);
    return true;
}

u8 hd_insn_base(const struct hd_insn *in)
{
    u8 mod = in->modrm >> 6, rm = in->modrm & 7, base = rm == 4 ? in->sib & 7 : rm;
    if (!hd_insn_has_memory(in) || (base == 5 && mod == 0))
        return HD_NO_REGISTER;
    return base | (in->rex & 1 ? 8 : 0);
}

u8 hd_insn_index(const struct hd_insn *in)
{
    u8 index = (in->sib >> 3 & 7) | (in->rex & 2 ? 8 : 0);
    bool has_index = hd_insn_has_memory(in) && (in->modrm & 7) == 4 && index != 4;
    return has_index ? index : HD_NO_REGISTER;
}

u8 hd_insn_reg(const struct hd_insn *in)
{
    return (in->modrm >> 3 & 7) | (in->rex & 4 ? 8 : 0);
}
