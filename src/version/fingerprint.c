/* fingerprint.c: see fingerprint.h. */
#include "version/fingerprint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "version/maker.h"

#define MIN_LINE 3          /* source lines of code; smaller and larger numbers are something else */
#define MAX_LINE (1 << 20)
#define MAX_CASES 1024    /* of a switch */
#define MAX_TEXT 256        /* of a string constant that counts */
#define MAX_CONSTANT 4096   /* bytes of a named constant that count */

static bool is_in_group(const struct hd_maker *m, const cs_insn *in, unsigned group)
{
    return m->decoder.insn_group(m->decoder.machine, in, group);
}

/* ---- what an address means --------------------------------------------------------- */

static bool is_text(const u8 *p, size_t *n)
{
    for (*n = 0; *n < MAX_TEXT; ++*n) {
        u8 c = p[*n];
        if (!c)
            return *n > 0;
        if (c != '\n' && c != '\t' && (c < ' ' || c == 127))
            return false;
    }
    return false;
}

/* Bytes of a constant with a name, so that a changed table is noticed. */
static void add_constant(struct hd_maker *m, u64 addr)
{
    const struct hd_image_symbol *s = hd_image_symbol(m->image, addr);
    u64 size = s ? HD_MIN(s->size, (u64)MAX_CONSTANT) : 0;
    const u8 *p = s && !s->is_function ? hd_image_bytes(m->image, s->start, size) : NULL;
    if (p)
        m->hash = hd_mix_bytes(m->hash, p, size);
}

/* Somewhere in the function. */
static void add_place(struct hd_maker *m, u64 offset)
{
    if (m->pieces.is_on)
        hd_pieces_place(m, m->start + offset);
    else
        m->hash = hd_mix(m->hash, offset);
}

/* The table of a switch: distances from it to places in the function, so its bytes change with all
 * that moves the code, and what they mean does not. */
static bool add_jump_table(struct hd_maker *m, u64 addr)
{
    u64 hash = m->hash;
    u32 n = 0;
    for (; n < m->cases; n++) {
        s32 distance;
        const u8 *p = hd_image_bytes(m->image, addr + 4 * n, sizeof distance);
        if (!p)
            break;
        memcpy(&distance, p, sizeof distance);
        u64 to = addr + (u64)(s64)distance - m->start;
        if (to >= m->size)
            break;
        add_place(m, to);
    }
    if (n <= 1)
        m->hash = hash;
    return n > 1;
}

/* What it is compared with before says how many cases there are; behind it is another table. */
static void count_cases(struct hd_maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    if (in->id == X86_INS_CMP && op[1].type == X86_OP_IMM && op[1].imm > 0 && op[1].imm < MAX_CASES)
        m->cases = (u32)op[1].imm + 1;
}

static void add_address(struct hd_maker *m, u64 addr)
{
    u64 offset;
    size_t len;
    if (addr - m->start < m->size) { /* a jump inside of the function */
        add_place(m, addr - m->start);
        return;
    }
    const char *name = hd_image_name(m->image, addr, &offset);
    const u8 *text = name ? NULL : hd_image_bytes(m->image, addr, MAX_TEXT);
    if (name) {
        m->hash = hd_mix(hd_mix_bytes(m->hash, name, strlen(name)), offset);
        if (hd_image_is_constant(m->image, addr))
            add_constant(m, addr);
    } else if (text && hd_image_is_constant(m->image, addr) && addr % 4 == 0 && add_jump_table(m, addr)) {
        return;
    } else if (text && hd_image_is_constant(m->image, addr) && is_text(text, &len)) {
        m->hash = hd_mix_bytes(m->hash, text, len);
    } else {
        m->hash = hd_mix(m->hash, 1); /* some place without a name */
    }
}

/* Does the instruction hand its own source line to a function, as assert() does? */
static bool is_own_line(struct hd_maker *m, const cs_insn *in, s64 value)
{
    struct hd_srcloc l[8];
    u32 to = in->detail->x86.operands[0].reg;
    bool is_argument = in->id == X86_INS_MOV &&
                       (to == X86_REG_EDI || to == X86_REG_ESI || to == X86_REG_EDX ||
                        to == X86_REG_ECX || to == X86_REG_R8D || to == X86_REG_R9D);
    if (!is_argument || value < MIN_LINE || value > MAX_LINE || !m->symbols)
        return false;
    int n = hd_symbols_code(m->symbols, in->address, false, l, 8);
    for (int i = 0; i < n; i++)
        if (l[i].line == (int)value)
            return true;
    return false;
}

/* ---- instructions ------------------------------------------------------------------ */

static void add_operand(struct hd_maker *m, const cs_insn *in, const cs_x86_op *op, bool is_jump)
{
    m->hash = hd_mix(m->hash, (u64)op->type << 8 | op->size);
    switch (op->type) {
    case X86_OP_REG:
        m->hash = hd_mix(m->hash, op->reg);
        break;
    case X86_OP_IMM:
        if (is_jump)
            add_address(m, (u64)op->imm);
        else if (!is_own_line(m, in, op->imm))
            m->hash = hd_mix(m->hash, (u64)op->imm);
        break;
    case X86_OP_MEM:
        m->hash = hd_mix(m->hash, (u64)op->mem.segment << 40 | (u64)op->mem.base << 24 |
                               (u64)op->mem.index << 8 | (u64)op->mem.scale);
        if (op->mem.base == X86_REG_RIP)
            add_address(m, in->address + in->size + (u64)op->mem.disp);
        else
            m->hash = hd_mix(m->hash, (u64)op->mem.disp);
        break;
    default:
        break;
    }
}

/* Does the hook say that the function enters or leaves, and no more? */
static bool is_frame_hook(const char *name)
{
    return !strncmp(name, "__tsan_func_e", 13);
}

static void note_call(struct hd_maker *m, u64 to, const char *name, bool is_jump)
{
    enum hd_called is = hd_called_what(name);
    s32 locks = is == HD_CALL_LOCK || is == HD_CALL_LOCK_SHARED ? 1 : is == HD_CALL_UNLOCK ? -1 : 0;
    *hd_vec_add(&m->called) = (struct hd_call){m->function, to, locks, is_jump};
}

/* How much there is to the function, for who wants to leave out what matters little. */
static void count_flow(struct hd_maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    bool is_call = in->id == X86_INS_CALL;
    u64 offset, to = in->detail->x86.op_count && op[0].type == X86_OP_IMM ? (u64)op[0].imm : 0;
    if (!is_call) {
        bool is_back = to > m->start && to <= in->address && to - m->start < m->size;
        bool is_jump = is_in_group(m, in, CS_GRP_JUMP), is_return = is_in_group(m, in, CS_GRP_RET);
        m->has_loop |= is_back && is_jump;
        if (is_jump && to && to - m->start >= m->size)
            note_call(m, to, NULL, true); /* instead of a call at the end */
        if (m->has_uses && (is_jump || is_return))
            hd_under_add(&m->held, &(struct hd_under_point){
                .kind = is_return ? HD_UNDER_RETURN : in->id == X86_INS_JMP ? HD_UNDER_JUMP : HD_UNDER_BRANCH,
                .at = in->address, .to = to});
        return;
    }
    const char *name = to ? hd_image_name(m->image, to, &offset) : NULL;
    if (name && !strncmp(name, "__tsan_", 7)) {
        if (is_frame_hook(name))
            return;
        m->accesses++;
        *hd_vec_add(&m->out->hooks) = (struct hd_hook_call){m->function, in->address + in->size};
        return;
    }
    m->calls++;
    if (to)
        note_call(m, to, name, false);
}

void hd_maker_instruction(struct hd_maker *m, const cs_insn *in)
{
    bool is_jump = is_in_group(m, in, CS_GRP_JUMP) || is_in_group(m, in, CS_GRP_CALL);
    bool is_short = is_jump && m->pieces.is_on; /* or long: what is between may have changed */
    m->hash = hd_mix(m->hash, (u64)in->id << 8 | (is_short ? 0 : in->size));
    for (u8 i = 0; i < in->detail->x86.op_count; i++)
        add_operand(m, in, &in->detail->x86.operands[i], is_jump);
    count_cases(m, in);
}

static void add_function(struct hd_maker *m, const struct hd_image_symbol *s, cs_insn *in)
{
    const u8 *code = hd_image_bytes(m->image, s->start, s->size);
    size_t left = s->size;
    u64 addr = s->start;
    struct hd_srcloc l = {0};
    if (!code)
        return;
    m->start = s->start;
    m->size = s->size;
    m->hash = 14695981039346656037u;
    hd_uses_begin(m);
    m->accesses = m->calls = 0;
    m->cases = 2;
    m->has_loop = false;
    m->function = (u32)m->out->v.n;
    while (left && m->decoder.disasm_iter(m->decoder.machine, &code, &left, &addr, in)) {
        hd_maker_instruction(m, in);
        if (m->has_uses)
            hd_uses_add(m, in);
        count_flow(m, in);
    }
    m->hash = hd_mix_bytes(m->hash, code, left); /* what is no instruction */
    if (m->symbols)
        hd_symbols_position(m->symbols, s->start, &l);
    char *name = strdup(s->name), *file = strdup(l.file ? l.file : "");
    HD_ASSERT(name && file);
    *hd_vec_add(&m->out->v) = (struct hd_fingerprint){
        .name = name, .start = s->start, .size = s->size, .hash = m->hash,
        .accesses = m->accesses, .calls = m->calls, .has_loop = m->has_loop,
        .line = l.line > 0 ? (u32)l.line : 0, .file = file};
    hd_pieces_add(m, s, in);
}

struct hd_fingerprint *hd_fingerprints_at(const struct hd_fingerprints *f, u64 start)
{
    size_t from = 0, to = f->v.n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (f->v.at[middle].start < start)
            from = middle + 1;
        else
            to = middle;
    }
    return from < f->v.n && f->v.at[from].start == start ? &f->v.at[from] : NULL;
}

u32 hd_maker_function(const struct hd_maker *m, u64 to)
{
    const struct hd_fingerprint *f = hd_fingerprints_at(m->out, to);
    return f ? (u32)(f - m->out->v.at) : UINT32_MAX;
}

static void note_called(struct hd_maker *m)
{
    for (size_t i = 0; i < m->called.n; i++) {
        u32 f = hd_maker_function(m, m->called.at[i].to);
        if (f != UINT32_MAX && !m->called.at[i].is_jump)
            m->out->v.at[f].is_called = true;
    }
}

static int make(struct hd_fingerprints *f, const char *path, bool has_uses)
{
    const struct hd_image_symbol *s;
    struct hd_maker m = {.out = f, .image = hd_image_open(path), .has_uses = has_uses};
    *f = (struct hd_fingerprints){0};
    if (!m.image)
        return -ENOEXEC;
    int e = hd_capstone_open(&m.decoder);
    if (e) {
        hd_image_close(m.image);
        return e;
    }
    m.symbols = hd_symbols_open_file(path);
    u32 n = hd_image_symbols(m.image, &s);
    for (u32 i = 0; i < n; i++)
        if (s[i].is_function)
            add_function(&m, &s[i], m.decoder.in);
    note_called(&m);
    hd_pieces_end(&m);
    hd_vec_release(&m.called);
    if (has_uses)
        hd_under_solve(&m.held, f);
    hd_under_release(&m.held);
    hd_capstone_close(&m.decoder);
    hd_symbols_close(m.symbols);
    hd_image_close(m.image);
    return 0;
}

int hd_fingerprints_make(struct hd_fingerprints *f, const char *path) { return make(f, path, false); }
int hd_fingerprints_make_uses(struct hd_fingerprints *f, const char *path) { return make(f, path, true); }

bool hd_fingerprints_has_lines(const struct hd_fingerprints *f)
{
    for (size_t i = 0; i < f->v.n; i++)
        if (f->v.at[i].line)
            return true;
    return false;
}

void hd_fingerprints_release(struct hd_fingerprints *f)
{
    for (size_t i = 0; i < f->v.n; i++) {
        free(f->v.at[i].name);
        free(f->v.at[i].file);
    }
    for (size_t i = 0; i < f->uses.n; i++)
        free(f->uses.at[i].object);
    hd_vec_release(&f->v);
    hd_vec_release(&f->uses);
    hd_vec_release(&f->hooks);
    for (size_t i = 0; i < f->pieces.n; i++) {
        free(f->pieces.at[i].name);
        free(f->pieces.at[i].file);
    }
    hd_vec_release(&f->pieces);
    hd_vec_release(&f->backs);
}
