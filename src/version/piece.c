/* piece.c: functions whose code holds that of others, which the compiler has inlined, in pieces: each of
 * these, and the rest.
 *
 * The hash of a piece is over its own instructions, as that of a function, but the place of a jump is the number of
 * the instruction in its piece. Of what is inlined into a piece its hash knows the name and between which
 * instructions it is. To it come the hashes of the pieces around it, up to the rest of the function. So a piece
 * is the same only if all that is around it is, too, register by register; what is inside may have changed.
 *
 * A second look, should the compiler have made a condition of what is around part of what is inside: the source
 * lines have to be the same, too.
 *
 * Not if that orders what is around it: locks, atomic instructions, calls through pointers or of functions that
 * end with another lock than they begin with. The hashes of such pieces are part of the rest's.
 */
#include "symbol/line.h"
#include "version/maker.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS 8
#define NOWHERE UINT32_MAX

static u64 mix_name(u64 h, const char *name)
{
    return name ? hd_mix_bytes(h, name, strlen(name)) : hd_mix(h, 0);
}

/* ---- which piece an instruction belongs to ---------------------------------------------- */

/* First of the instructions from an address on. */
static size_t index_of(const struct hd_pieces *p, u64 addr)
{
    size_t from = 0, to = p->at.n;
    while (from < to) {
        size_t middle = (from + to) / 2;
        if (p->at.at[middle] < addr)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void begin(struct hd_maker *m)
{
    struct hd_pieces *p = &m->pieces;
    p->v.n = 0;
    for (size_t i = 0; i <= p->inlined.v.n; i++) {
        const struct hd_inlined *l = i ? &p->inlined.v.at[i - 1] : NULL;
        u64 key = l ? hd_mix(mix_name(p->v.at[l->around].key, l->name), l->ordinal) : 1;
        *hd_vec_add(&p->v) = (struct hd_reading){.hash = hd_mix(14695981039346656037u, key), .key = key};
    }
}

/* What fills the room in front of a place that is jumped to depends on where that is. */
static bool is_filler(const cs_insn *in)
{
    const cs_x86_op *op = in->detail->x86.operands;
    return in->id == X86_INS_NOP || (in->id == X86_INS_XCHG && op[0].type == X86_OP_REG &&
                                     op[1].type == X86_OP_REG && op[0].reg == op[1].reg);
}

/* Goes through the code; false: it cannot be read to its end. */
static bool each(struct hd_maker *m, const struct hd_image_symbol *s, cs_insn *in,
                 void (*fn)(struct hd_maker *m, const cs_insn *in))
{
    const u8 *code = hd_image_bytes(m->image, s->start, s->size);
    size_t left = s->size;
    u64 addr = s->start;
    while (code && left && m->decoder.disasm_iter(m->decoder.machine, &code, &left, &addr, in))
        if (!is_filler(in))
            fn(m, in);
    return code && !left;
}

static void note_place(struct hd_maker *m, const cs_insn *in)
{
    *hd_vec_add(&m->pieces.at) = in->address;
    *hd_vec_add(&m->pieces.of) = 0;
    *hd_vec_add(&m->pieces.ordinal) = 0;
}

/* The last range that covers an instruction is the innermost. */
static u32 divide(struct hd_pieces *p)
{
    u32 *n = calloc(p->v.n, sizeof *n), inlined = 0;
    HD_ASSERT(n);
    for (size_t i = 0; i < p->inlined.range.n; i++) {
        const struct hd_inlined_range *r = &p->inlined.range.at[i];
        for (size_t k = index_of(p, r->lo); k < p->at.n && p->at.at[k] < r->hi; k++)
            p->of.at[k] = r->number + 1;
    }
    for (size_t i = 0; i < p->at.n; i++) {
        p->ordinal.at[i] = n[p->of.at[i]]++;
        inlined += p->of.at[i] > 0;
    }
    free(n);
    return inlined;
}

static u32 around(const struct hd_pieces *p, u32 piece)
{
    return piece ? p->inlined.v.at[piece - 1].around : NOWHERE;
}

static bool is_around(const struct hd_pieces *p, u32 outer, u32 piece)
{
    while (piece != NOWHERE && piece != outer)
        piece = around(p, piece);
    return piece == outer;
}

/* A place in the piece itself, or in one around it, is an instruction there; one in another piece is no more than
 * that: what comes before it there may have changed. */
void hd_pieces_place(struct hd_maker *m, u64 addr)
{
    const struct hd_pieces *p = &m->pieces;
    size_t i = index_of(p, addr);
    u32 to = i < p->at.n ? p->of.at[i] : 0;
    m->hash = hd_mix(m->hash, p->v.at[to].key);
    if (is_around(p, to, p->now))
        m->hash = hd_mix(m->hash, i < p->at.n ? p->ordinal.at[i] : NOWHERE);
}

/* ---- instructions ------------------------------------------------------------------------ */

/* The code before goes on here: those around it meet it. Where it is jumped to, the jump has told (hd_pieces_place). */
static void enter(struct hd_pieces *p, u32 piece)
{
    bool falls = p->falls;
    p->now = piece;
    for (u32 in = piece, out; (out = around(p, in)) != NOWHERE; in = out) {
        struct hd_reading *r = &p->v.at[out];
        if (falls && r->inside != in)
            r->hash = hd_mix(r->hash, p->v.at[in].key);
        r->inside = in;
    }
}

/* By its name. What threads do to each other, and what orders one thread with itself (handlers of signals). */
static bool is_sync_name(const char *name)
{
    static const char *const begins[] = {
        "pthread_", "mtx_", "cnd_", "thrd_", "sem_", "call_once", "__tsan_atomic", "__tsan_mutex", "__cxa_guard",
        "syscall", "flockfile", "funlockfile", "sigprocmask", "sigaction", "signal", "fork", "vfork", "longjmp",
        "siglongjmp", "GOMP_", "__kmpc_", "_ZNSt18condition_variable", "_ZNSt6thread", "_ZNSt13__future",
        "_ZNSt12__cv_status", "_ZSt9call_once", "__gthr", "AnnotateRWLock", "AnnotateHappens", "heddle_",
    };
    if (!strcmp(name, "pthread_self") || !strcmp(name, "pthread_equal"))
        return false;
    for (u32 i = 0; i < HD_COUNT(begins); i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static bool is_atomic(const cs_insn *in)
{
    const cs_x86 *x = &in->detail->x86;
    bool is_fence = in->id == X86_INS_MFENCE || in->id == X86_INS_LFENCE || in->id == X86_INS_SFENCE;
    bool is_exchange = in->id == X86_INS_XCHG &&
                       (x->operands[0].type == X86_OP_MEM || x->operands[1].type == X86_OP_MEM);
    return is_fence || is_exchange || x->prefix[0] == X86_PREFIX_LOCK || in->id == X86_INS_SYSCALL;
}

/* A function that it leads to; not its own, nor one that the loader finds in the C library. */
static void note_leaving(struct hd_maker *m, u64 to, bool *is_sync)
{
    u64 offset;
    const char *name = hd_image_name(m->image, to, &offset);
    if (to - m->start < m->size)
        return;
    bool is_hook = name && !strncmp(name, "__tsan_", 7);
    if (!hd_image_symbol(m->image, to))
        *is_sync |= !name || is_sync_name(name) || (!is_hook && hd_image_is_foreign(m->image, to));
    *hd_vec_add(&m->pieces.called) = (struct hd_piece_call){(u32)(m->out->pieces.n + m->pieces.now), to};
}

/* A pointer that the loader sets, or a variable. */
static void note_slot(struct hd_maker *m, u64 slot, bool *is_sync)
{
    if (hd_image_symbol(m->image, slot))
        *is_sync = true;
    else
        note_leaving(m, slot, is_sync);
}

/* Does the function that is called? One without a way out does not. Overwrites the instruction. */
static bool comes_back(struct hd_maker *m, u64 to)
{
    u64 offset, addr = to;
    const struct hd_image_symbol *s = hd_image_symbol(m->image, to);
    const char *name = hd_image_name(m->image, to, &offset);
    const u8 *code = s && s->start == to ? hd_image_bytes(m->image, to, s->size) : NULL;
    size_t left = code ? s->size : 0;
    cs_insn *in = m->decoder.in;
    if (!code)
        return !name || hd_called_what(name) != HD_CALL_NEVER_BACK;
    while (left && m->decoder.disasm_iter(m->decoder.machine, &code, &left, &addr, in)) {
        const cs_x86_op *op = in->detail->x86.operands;
        bool is_jump = m->decoder.insn_group(m->decoder.machine, in, CS_GRP_JUMP);
        if (in->id == X86_INS_RET || (is_jump && (op[0].type != X86_OP_IMM || (u64)op[0].imm - to >= s->size)))
            return true;
    }
    return left > 0;
}

static void read_instruction(struct hd_maker *m, const cs_insn *in)
{
    struct hd_pieces *p = &m->pieces;
    const cs_x86_op *op = in->detail->x86.operands;
    size_t i = index_of(p, in->address);
    bool is_call = in->id == X86_INS_CALL, is_jump = m->decoder.insn_group(m->decoder.machine, in, CS_GRP_JUMP);
    bool *is_sync = &p->is_sync.at[m->out->pieces.n + p->of.at[i]];
    if (p->of.at[i] != p->now)
        enter(p, p->of.at[i]);
    p->v.at[p->now].inside = 0;
    m->hash = p->v.at[p->now].hash;
    hd_maker_instruction(m, in);
    p->v.at[p->now].hash = m->hash;
    *is_sync |= is_atomic(in);
    if ((is_call || is_jump) && op[0].type == X86_OP_IMM)
        note_leaving(m, (u64)op[0].imm, is_sync);
    else if (is_call && op[0].type == X86_OP_MEM && op[0].mem.base == X86_REG_RIP)
        note_slot(m, in->address + in->size + (u64)op[0].mem.disp, is_sync);
    else if (is_call)
        *is_sync = true;
    if (is_call)
        *hd_vec_add(&p->back) = (struct hd_piece_back){p->now, (u32)(in->address + in->size - m->start)};
    p->falls = in->id != X86_INS_JMP && in->id != X86_INS_RET && in->id != X86_INS_UD2 && in->id != X86_INS_HLT;
    if (is_call && op[0].type == X86_OP_IMM && i + 1 < p->at.n && p->of.at[i + 1] != p->now)
        p->falls = comes_back(m, (u64)op[0].imm);
}

/* ---- the list ---------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    char *is = strdup(text ? text : "");
    HD_ASSERT(is);
    return is;
}

static void keep_backs(struct hd_maker *m, struct hd_piece *piece, u32 n)
{
    const struct hd_pieces *p = &m->pieces;
    u32 *next = calloc(n + 1, sizeof *next);
    HD_ASSERT(next);
    for (size_t i = 0; i < p->back.n; i++)
        piece[p->back.at[i].piece].backs++;
    for (u32 i = 0, at = (u32)m->out->backs.n; i < n; at += piece[i++].backs)
        piece[i].back = next[i] = at;
    for (size_t i = 0; i < p->back.n; i++)
        hd_vec_add(&m->out->backs);
    for (size_t i = 0; i < p->back.n; i++)
        m->out->backs.at[next[p->back.at[i].piece]++] = p->back.at[i].offset;
    free(next);
}

/* Of the lines from its beginning to the last that its code is from, without comments and white space.
 * 0 = not known. */
static u64 text_of(const struct hd_maker *m, const struct hd_inlined *l)
{
    char plain[4096];
    u64 h = 1;
    struct hd_srcloc at = {.file = l->file, .dir = l->dir, .module = l->module};
    for (at.line = l->line; at.line <= l->last; at.line++) {
        const char *text = hd_symbols_source(m->symbols, &at);
        if (!text && !hd_symbols_line(m->symbols, &at, at.line))
            return 0;
        size_t n = text ? hd_line_plain(text, plain, sizeof plain) : 0;
        h = n ? hd_mix_bytes(h, plain, n) : h;
    }
    return h == 1 || hd_symbols_is_stale(m->symbols, &(const char *){NULL}) ? 0 : h | 1;
}

static void keep(struct hd_maker *m, struct hd_fingerprint *f)
{
    struct hd_pieces *p = &m->pieces;
    u32 first = f->piece = (u32)m->out->pieces.n, n = f->pieces = (u32)p->v.n;
    for (u32 i = 0; i < n; i++) {
        const struct hd_inlined *l = i ? &p->inlined.v.at[i - 1] : NULL;
        *hd_vec_add(&m->out->pieces) = (struct hd_piece){
            .around = first + (l ? l->around : 0), .name = copy(l ? l->name : NULL),
            .file = copy(l ? l->file : NULL), .line = l && l->line > 0 ? (u32)l->line : 0, .hash = p->v.at[i].hash,
            .own = p->v.at[i].hash, .text = text_of(m, l ? l : &p->inlined.whole)};
    }
    keep_backs(m, &m->out->pieces.at[first], n);
}

void hd_pieces_add(struct hd_maker *m, const struct hd_image_symbol *s, cs_insn *in)
{
    struct hd_pieces *p = &m->pieces;
    if (!m->symbols)
        return;
    hd_symbols_inlines(m->symbols, s->start, &p->inlined);
    p->at.n = p->of.n = p->ordinal.n = p->back.n = 0;
    if (!p->inlined.v.n)
        return;
    begin(m);
    if (!each(m, s, in, note_place) || !divide(p))
        return;
    hd_inlines_reach(m->symbols, &p->inlined, p->at.at, p->of.at, p->at.n);
    while (p->is_sync.n < m->out->pieces.n + p->v.n)
        *hd_vec_add(&p->is_sync) = false;
    *hd_vec_add(&p->back) = (struct hd_piece_back){0, 0}; /* where it is entered */
    p->now = 0;
    p->falls = true;
    m->cases = 2;
    p->is_on = true;
    each(m, s, in, read_instruction);
    p->is_on = false;
    keep(m, &m->out->v.at[m->out->v.n - 1]);
}

/* ---- all of them ------------------------------------------------------------------------- */

struct locks {
    s32 takes;     /* more often than it gives them up; negative: less often */
    bool is_known; /* an operation was seen, */
    bool gives;    /* ... and the first gave up a lock of its caller's */
};

/* A library may call its own functions by way of the loader. */
static u32 function_of(const struct hd_maker *m, const struct hd_map *by_name, u64 to)
{
    u64 offset;
    u32 f = hd_maker_function(m, to);
    const char *name = f == NOWHERE ? hd_image_name(m->image, to, &offset) : NULL;
    return name ? (u32)hd_map_get_or(by_name, mix_name(1, name), NOWHERE) : f;
}

/* Which functions end with another lock than they begin with? By how often they and those that they call take
 * and give up locks. */
static struct locks *find_locks(const struct hd_maker *m, const struct hd_map *by_name)
{
    size_t n = m->out->v.n;
    struct locks *l = calloc(n + 1, sizeof *l);
    s32 *was = calloc(n + 1, sizeof *was);
    HD_ASSERT(l && was);
    bool is_changed = true;
    for (u32 round = 0; round < ROUNDS && is_changed; round++) {
        for (size_t i = 0; i < n; i++) {
            was[i] = HD_MAX(-1, HD_MIN(1, l[i].takes));
            l[i] = (struct locks){0};
        }
        for (size_t i = 0; i < m->called.n; i++) {
            const struct hd_call *c = &m->called.at[i];
            u32 to = c->locks ? NOWHERE : function_of(m, by_name, c->to);
            s32 takes = to == NOWHERE ? c->locks : was[to];
            struct locks *of = &l[c->function];
            of->takes += takes;
            of->gives |= takes < 0 && !of->is_known;
            of->is_known |= takes != 0;
        }
        is_changed = false;
        for (size_t i = 0; i < n; i++)
            is_changed |= HD_MAX(-1, HD_MIN(1, l[i].takes)) != was[i];
    }
    free(was);
    return l;
}

static void find_sync(struct hd_maker *m)
{
    struct hd_map by_name = {0};
    struct hd_pieces *p = &m->pieces;
    for (size_t i = 0; i < m->out->v.n; i++)
        hd_map_put(&by_name, mix_name(1, m->out->v.at[i].name), i);
    struct locks *l = find_locks(m, &by_name);
    for (size_t i = 0; i < p->called.n; i++) {
        u32 to = function_of(m, &by_name, p->called.at[i].to);
        if (to != NOWHERE && (l[to].takes || l[to].gives))
            p->is_sync.at[p->called.at[i].piece] = true;
    }
    free(l);
    hd_map_release(&by_name);
}

void hd_pieces_end(struct hd_maker *m)
{
    struct hd_pieces *p = &m->pieces;
    if (m->out->pieces.n)
        find_sync(m);
    for (size_t i = 0; i < m->out->v.n; i++) {
        const struct hd_fingerprint *f = &m->out->v.at[i];
        struct hd_piece *piece = m->out->pieces.at;
        for (u32 k = f->piece + 1; k < f->piece + f->pieces; k++)
            if (p->is_sync.at[k])
                piece[f->piece].hash = hd_mix(piece[f->piece].hash, piece[k].hash);
        for (u32 k = f->piece + 1; k < f->piece + f->pieces; k++)
            piece[k].hash = hd_mix(piece[piece[k].around].hash, piece[k].hash);
    }
    hd_inlines_release(&p->inlined);
    hd_vec_release(&p->of);
    hd_vec_release(&p->ordinal);
    hd_vec_release(&p->at);
    hd_vec_release(&p->v);
    hd_vec_release(&p->back);
    hd_vec_release(&p->called);
    hd_vec_release(&p->is_sync);
}
