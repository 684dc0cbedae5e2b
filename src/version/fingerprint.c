/* fingerprint.c: see fingerprint.h. */
#include "version/fingerprint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/image.h"
#include "symbol/symbol.h"
#include "version/capstone.h"
#include "version/under.h"

#define MIN_LINE 3          /* source lines of code; smaller and larger numbers are something else */
#define MAX_LINE (1 << 20)
#define MAX_CASES 1024    /* of a switch */
#define MAX_TEXT 256        /* of a string constant that counts */
#define MAX_CONSTANT 4096   /* bytes of a named constant that count */

/* A register holds an argument of the function, moved by an offset. */
struct origin {
    u32 reg;           /* number of DWARF + 1, 0 = it does not */
    u64 offset;
};

struct maker {
    struct hd_fingerprints *out;
    struct hd_image *image;
    struct hd_symbols *symbols;
    struct hd_capstone decoder;
    u64 start, size;   /* of the function */
    u64 hash;
    u64 address[X86_REG_ENDING]; /* that a register was last set to, 0 = not known */
    struct origin origin[X86_REG_ENDING];
    bool has_uses;     /* they are asked for */
    struct hd_under held;
    u32 function;
    u32 accesses, calls;
    u32 cases;          /* of a switch that may follow */
    bool has_loop;
    HD_VEC(u64) called; /* addresses, in any order */
};

static bool is_in_group(const struct maker *m, const cs_insn *in, unsigned group)
{
    return m->decoder.insn_group(m->decoder.machine, in, group);
}

static u64 mix(u64 h, u64 value)
{
    h = (h ^ value) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 29;
}

static u64 mix_bytes(u64 h, const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ ((const u8 *)p)[i]) * 1099511628211u;
    return mix(h, n);
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
static void add_constant(struct maker *m, u64 addr)
{
    const struct hd_image_symbol *s = hd_image_symbol(m->image, addr);
    u64 size = s ? HD_MIN(s->size, (u64)MAX_CONSTANT) : 0;
    const u8 *p = s && !s->is_function ? hd_image_bytes(m->image, s->start, size) : NULL;
    if (p)
        m->hash = mix_bytes(m->hash, p, size);
}

/* The table of a switch: distances from it to places in the function, so its bytes change with all
 * that moves the code, and what they mean does not. */
static bool add_jump_table(struct maker *m, u64 addr)
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
        hash = mix(hash, to);
    }
    if (n > 1)
        m->hash = hash;
    return n > 1;
}

/* What it is compared with before says how many cases there are; behind it is another table. */
static void count_cases(struct maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    if (in->id == X86_INS_CMP && op[1].type == X86_OP_IMM && op[1].imm > 0 && op[1].imm < MAX_CASES)
        m->cases = (u32)op[1].imm + 1;
}

static void add_address(struct maker *m, u64 addr)
{
    u64 offset;
    size_t len;
    if (addr - m->start < m->size) { /* a jump inside of the function */
        m->hash = mix(m->hash, addr - m->start);
        return;
    }
    const char *name = hd_image_name(m->image, addr, &offset);
    const u8 *text = name ? NULL : hd_image_bytes(m->image, addr, MAX_TEXT);
    if (name) {
        m->hash = mix(mix_bytes(m->hash, name, strlen(name)), offset);
        if (hd_image_is_constant(m->image, addr))
            add_constant(m, addr);
    } else if (text && hd_image_is_constant(m->image, addr) && addr % 4 == 0 && add_jump_table(m, addr)) {
        return;
    } else if (text && hd_image_is_constant(m->image, addr) && is_text(text, &len)) {
        m->hash = mix_bytes(m->hash, text, len);
    } else {
        m->hash = mix(m->hash, 1); /* some place without a name */
    }
}

/* Does the instruction hand its own source line to a function, as assert() does? */
static bool is_own_line(struct maker *m, const cs_insn *in, s64 value)
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

static void add_operand(struct maker *m, const cs_insn *in, const cs_x86_op *op, bool is_jump)
{
    m->hash = mix(m->hash, (u64)op->type << 8 | op->size);
    switch (op->type) {
    case X86_OP_REG:
        m->hash = mix(m->hash, op->reg);
        break;
    case X86_OP_IMM:
        if (is_jump)
            add_address(m, (u64)op->imm);
        else if (!is_own_line(m, in, op->imm))
            m->hash = mix(m->hash, (u64)op->imm);
        break;
    case X86_OP_MEM:
        m->hash = mix(m->hash, (u64)op->mem.segment << 40 | (u64)op->mem.base << 24 |
                               (u64)op->mem.index << 8 | (u64)op->mem.scale);
        if (op->mem.base == X86_REG_RIP)
            add_address(m, in->address + in->size + (u64)op->mem.disp);
        else
            m->hash = mix(m->hash, (u64)op->mem.disp);
        break;
    default:
        break;
    }
}

/* "name", "name+8" of a variable; NULL if it has no name. */
static char *object_name(struct maker *m, u64 addr)
{
    u64 offset;
    char text[600];
    const char *name = hd_image_name(m->image, addr, &offset);
    if (!name)
        return NULL;
    if (offset)
        snprintf(text, sizeof text, "%.500s+%llu", name, (unsigned long long)offset);
    else
        snprintf(text, sizeof text, "%.500s", name);
    char *copy = strdup(text);
    HD_ASSERT(copy);
    return copy;
}

/* "struct cache.hits" if the first argument of a call points there; *type: hash of "struct cache". */
static char *member_name(struct maker *m, u64 *type)
{
    const struct origin *o = &m->origin[X86_REG_RDI];
    char text[600];
    if (!o->reg || !m->symbols ||
        !hd_symbols_parameter(m->symbols, m->start, o->reg - 1, o->offset, text, sizeof text))
        return NULL;
    char *copy = strdup(text);
    HD_ASSERT(copy);
    *type = mix_bytes(2, text, strcspn(text, ".")) | 1;
    return copy;
}

enum called { OTHER, READ, WRITE, LOCK, LOCK_SHARED, UNLOCK, NEVER_BACK };

/* A lock that is tried counts as taken: the code behind it is for the most part where it was. */
static enum called what_is(const char *called)
{
    static const struct { const char *name; enum called is; } begins[] = {
        {"__tsan_read_write", WRITE}, {"__tsan_unaligned_read", READ}, {"__tsan_read", READ},
        {"__tsan_unaligned_write", WRITE}, {"__tsan_write", WRITE},
        {"pthread_mutex_lock", LOCK}, {"pthread_mutex_trylock", LOCK}, {"pthread_mutex_timedlock", LOCK},
        {"pthread_mutex_unlock", UNLOCK}, {"pthread_spin_lock", LOCK}, {"pthread_spin_trylock", LOCK},
        {"pthread_spin_unlock", UNLOCK}, {"pthread_rwlock_wrlock", LOCK}, {"pthread_rwlock_trywrlock", LOCK},
        {"pthread_rwlock_rdlock", LOCK_SHARED}, {"pthread_rwlock_tryrdlock", LOCK_SHARED},
        {"pthread_rwlock_unlock", UNLOCK}, {"mtx_lock", LOCK}, {"mtx_trylock", LOCK}, {"mtx_unlock", UNLOCK},
        {"abort", NEVER_BACK}, {"exit", NEVER_BACK}, {"_exit", NEVER_BACK}, {"__assert_fail", NEVER_BACK},
        {"pthread_exit", NEVER_BACK}, {"__stack_chk_fail", NEVER_BACK}, {"__cxa_throw", NEVER_BACK},
        {"_Unwind_Resume", NEVER_BACK},
    };
    for (u32 i = 0; called && i < HD_COUNT(begins); i++)
        if (!strncmp(called, begins[i].name, strlen(begins[i].name)))
            return begins[i].is;
    return OTHER;
}

static void note_lock(struct maker *m, u64 at, const char *name, u64 type, enum called is)
{
    hd_under_add(&m->held, &(struct hd_under_point){
        .kind = is == UNLOCK ? HD_UNDER_UNLOCK : HD_UNDER_LOCK, .at = at,
        .lock = {mix_bytes(1, name, strlen(name)) | 1, type, is == LOCK_SHARED}});
}

/* Takes `object` over. */
static void note_access(struct maker *m, u64 at, char *object, u64 type, bool is_write)
{
    hd_under_add(&m->held, &(struct hd_under_point){.kind = HD_UNDER_USE, .at = at, .use = (u32)m->out->uses.n});
    *hd_vec_add(&m->out->uses) = (struct hd_use){.function = m->function, .is_write = is_write, .at = at,
                                                 .object = object, .type = type};
}

/* The 64-bit register that holds this one. */
static u32 whole(u32 reg)
{
    static const u16 low[][2] = {
        {X86_REG_EAX, X86_REG_RAX}, {X86_REG_EBX, X86_REG_RBX}, {X86_REG_ECX, X86_REG_RCX},
        {X86_REG_EDX, X86_REG_RDX}, {X86_REG_ESI, X86_REG_RSI}, {X86_REG_EDI, X86_REG_RDI},
        {X86_REG_EBP, X86_REG_RBP}, {X86_REG_R8D, X86_REG_R8}, {X86_REG_R9D, X86_REG_R9},
        {X86_REG_R10D, X86_REG_R10}, {X86_REG_R11D, X86_REG_R11}, {X86_REG_R12D, X86_REG_R12},
        {X86_REG_R13D, X86_REG_R13}, {X86_REG_R14D, X86_REG_R14}, {X86_REG_R15D, X86_REG_R15},
    };
    for (u32 i = 0; i < HD_COUNT(low); i++)
        if (low[i][0] == reg)
            return low[i][1];
    return reg;
}

/* Arguments are in these registers, by their numbers in DWARF, when a function is entered. */
static void begin_origins(struct maker *m)
{
    static const u16 argument[][2] = {{X86_REG_RDI, 5}, {X86_REG_RSI, 4}, {X86_REG_RDX, 1},
                                      {X86_REG_RCX, 2}, {X86_REG_R8, 8}, {X86_REG_R9, 9}};
    memset(m->origin, 0, sizeof m->origin);
    for (u32 i = 0; i < HD_COUNT(argument); i++)
        m->origin[argument[i][0]].reg = argument[i][1] + 1u;
}

static void follow_origin(struct maker *m, const cs_insn *in, u32 to)
{
    const cs_x86_op *op = in->detail->x86.operands;
    struct origin from = {0};
    if (in->id == X86_INS_LEA && op[1].mem.index == X86_REG_INVALID && op[1].mem.base != X86_REG_INVALID &&
        op[1].mem.base != X86_REG_RIP) {
        from = m->origin[op[1].mem.base];
        from.offset += (u64)op[1].mem.disp;
    } else if (in->id == X86_INS_MOV && op[1].type == X86_OP_REG && op[1].size == 8) {
        from = m->origin[op[1].reg];
    } else if (in->id == X86_INS_ADD && op[1].type == X86_OP_IMM) {
        from = m->origin[to];
        from.offset += (u64)op[1].imm;
    }
    m->origin[to] = from;
}

/* Follows addresses of variables through registers, in the order of the code: hooks are
 * called with an address that was loaded right before, or once for the function. */
static void follow(struct maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    u64 value = 0;
    u32 to = in->detail->x86.op_count && op[0].type == X86_OP_REG ? whole(op[0].reg) : 0;
    if (in->id == X86_INS_LEA && op[1].mem.base == X86_REG_RIP)
        value = in->address + in->size + (u64)op[1].mem.disp;
    else if (in->id == X86_INS_LEA && op[1].mem.index == X86_REG_INVALID && m->address[op[1].mem.base])
        value = m->address[op[1].mem.base] + (u64)op[1].mem.disp; /* another part of it */
    else if (in->id == X86_INS_MOV && op[1].type == X86_OP_REG)
        value = m->address[whole(op[1].reg)];
    else if (in->id == X86_INS_MOV && op[1].type == X86_OP_IMM && op[1].imm > 4096)
        value = (u64)op[1].imm;
    if (!to || in->id == X86_INS_CMP || in->id == X86_INS_TEST || in->id == X86_INS_PUSH)
        return;
    m->address[to] = value;
    if (value)
        hd_under_taken(&m->held, value); /* if it is a function, a pointer may call it */
    follow_origin(m, in, to);
}

/* Notes calls of hooks and locks whose first argument is a variable with a name, or a member. */
static void note_use(struct maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    static const u32 lost[] = {X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RSI, X86_REG_RDI,
                               X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11};
    u64 offset, first = m->address[X86_REG_RDI];
    if (in->id != X86_INS_CALL) {
        follow(m, in);
        return;
    }
    const char *called =
        op[0].type == X86_OP_IMM ? hd_image_name(m->image, (u64)op[0].imm, &offset) : NULL;
    enum called is = what_is(called);
    u64 type = 0;
    char *object = is == OTHER ? NULL : first ? object_name(m, first) : member_name(m, &type);
    if (object && (is == READ || is == WRITE)) {
        note_access(m, in->address, object, type, is == WRITE);
        object = NULL;
    } else if (object) {
        note_lock(m, in->address, object, type, is);
    }
    free(object);
    if (is == OTHER || is == NEVER_BACK)
        hd_under_add(&m->held, &(struct hd_under_point){
            .kind = is == OTHER ? HD_UNDER_CALL : HD_UNDER_END, .at = in->address,
            .to = op[0].type == X86_OP_IMM ? (u64)op[0].imm : 0});
    for (u32 i = 0; i < HD_COUNT(lost); i++) {
        m->address[lost[i]] = 0;
        m->origin[lost[i]].reg = 0;
    }
}

/* Does the hook say that the function enters or leaves, and no more? */
static bool is_frame_hook(const char *name)
{
    return !strncmp(name, "__tsan_func_e", 13);
}

/* How much there is to the function, for who wants to leave out what matters little. */
static void count_flow(struct maker *m, const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    bool is_call = in->id == X86_INS_CALL;
    u64 offset, to = in->detail->x86.op_count && op[0].type == X86_OP_IMM ? (u64)op[0].imm : 0;
    if (!is_call) {
        bool is_back = to > m->start && to <= in->address && to - m->start < m->size;
        bool is_jump = is_in_group(m, in, CS_GRP_JUMP), is_return = is_in_group(m, in, CS_GRP_RET);
        m->has_loop |= is_back && is_jump;
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
        *hd_vec_add(&m->called) = to;
}

static void add_function(struct maker *m, const struct hd_image_symbol *s, cs_insn *in)
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
    memset(m->address, 0, sizeof m->address);
    hd_under_function(&m->held);
    begin_origins(m);
    m->accesses = m->calls = 0;
    m->cases = 2;
    m->has_loop = false;
    m->function = (u32)m->out->v.n;
    while (left && m->decoder.disasm_iter(m->decoder.machine, &code, &left, &addr, in)) {
        bool is_jump = is_in_group(m, in, CS_GRP_JUMP) || is_in_group(m, in, CS_GRP_CALL);
        m->hash = mix(m->hash, (u64)in->id << 8 | in->size);
        for (u8 i = 0; i < in->detail->x86.op_count; i++)
            add_operand(m, in, &in->detail->x86.operands[i], is_jump);
        if (m->has_uses)
            note_use(m, in);
        count_flow(m, in);
        count_cases(m, in);
    }
    m->hash = mix_bytes(m->hash, code, left); /* what is no instruction */
    if (m->symbols)
        hd_symbols_position(m->symbols, s->start, &l);
    char *name = strdup(s->name), *file = strdup(l.file ? l.file : "");
    HD_ASSERT(name && file);
    *hd_vec_add(&m->out->v) = (struct hd_fingerprint){
        .name = name, .start = s->start, .size = s->size, .hash = m->hash,
        .accesses = m->accesses, .calls = m->calls, .has_loop = m->has_loop,
        .line = l.line > 0 ? (u32)l.line : 0, .file = file};
}

static void note_called(struct maker *m)
{
    for (size_t i = 0; i < m->called.n; i++) {
        size_t from = 0, to = m->out->v.n;
        while (from < to) {
            size_t middle = (from + to) / 2;
            if (m->out->v.at[middle].start < m->called.at[i])
                from = middle + 1;
            else
                to = middle;
        }
        if (from < m->out->v.n && m->out->v.at[from].start == m->called.at[i])
            m->out->v.at[from].is_called = true;
    }
    hd_vec_release(&m->called);
}

static int make(struct hd_fingerprints *f, const char *path, bool has_uses)
{
    const struct hd_image_symbol *s;
    struct maker m = {.out = f, .image = hd_image_open(path), .has_uses = has_uses};
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
}
