/* use.c: which variables with a name, or members of a struct that an argument points to, a function accesses, and
 * which locks it takes: addresses are followed through registers in the order of the code (maker.h). */
#include "version/maker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "name", "name+8" of a variable; NULL if it has no name. */
static char *object_name(struct hd_maker *m, u64 addr)
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
static char *member_name(struct hd_maker *m, u64 *type)
{
    const struct hd_origin *o = &m->origin[X86_REG_RDI];
    char text[600];
    if (!o->reg || !m->symbols ||
        !hd_symbols_parameter(m->symbols, m->start, o->reg - 1, o->offset, text, sizeof text))
        return NULL;
    char *copy = strdup(text);
    HD_ASSERT(copy);
    *type = hd_mix_bytes(2, text, strcspn(text, ".")) | 1;
    return copy;
}

/* A lock that is tried counts as taken: the code behind it is for the most part where it was. */
enum hd_called hd_called_what(const char *called)
{
    static const struct { const char *name; enum hd_called is; } begins[] = {
        {"__tsan_read_write", HD_CALL_WRITE}, {"__tsan_unaligned_read", HD_CALL_READ},
        {"__tsan_read", HD_CALL_READ}, {"__tsan_unaligned_write", HD_CALL_WRITE},
        {"__tsan_write", HD_CALL_WRITE}, {"pthread_mutex_lock", HD_CALL_LOCK},
        {"pthread_mutex_trylock", HD_CALL_LOCK}, {"pthread_mutex_timedlock", HD_CALL_LOCK},
        {"pthread_mutex_unlock", HD_CALL_UNLOCK}, {"pthread_spin_lock", HD_CALL_LOCK},
        {"pthread_spin_trylock", HD_CALL_LOCK}, {"pthread_spin_unlock", HD_CALL_UNLOCK},
        {"pthread_rwlock_wrlock", HD_CALL_LOCK}, {"pthread_rwlock_trywrlock", HD_CALL_LOCK},
        {"pthread_rwlock_rdlock", HD_CALL_LOCK_SHARED},
        {"pthread_rwlock_tryrdlock", HD_CALL_LOCK_SHARED},
        {"pthread_rwlock_unlock", HD_CALL_UNLOCK}, {"mtx_lock", HD_CALL_LOCK},
        {"mtx_trylock", HD_CALL_LOCK}, {"mtx_unlock", HD_CALL_UNLOCK},
        {"abort", HD_CALL_NEVER_BACK}, {"exit", HD_CALL_NEVER_BACK}, {"_exit", HD_CALL_NEVER_BACK},
        {"__assert_fail", HD_CALL_NEVER_BACK}, {"pthread_exit", HD_CALL_NEVER_BACK},
        {"__stack_chk_fail", HD_CALL_NEVER_BACK}, {"__cxa_throw", HD_CALL_NEVER_BACK},
        {"_Unwind_Resume", HD_CALL_NEVER_BACK},
    };
    for (u32 i = 0; called && i < HD_COUNT(begins); i++)
        if (!strncmp(called, begins[i].name, strlen(begins[i].name)))
            return begins[i].is;
    return HD_CALL_OTHER;
}

static void note_lock(struct hd_maker *m, u64 at, const char *name, u64 type, enum hd_called is)
{
    hd_under_add(&m->held, &(struct hd_under_point){
        .kind = is == HD_CALL_UNLOCK ? HD_UNDER_UNLOCK : HD_UNDER_LOCK, .at = at,
        .lock = {hd_mix_bytes(1, name, strlen(name)) | 1, type, is == HD_CALL_LOCK_SHARED}});
}

/* Takes `object` over. */
static void note_access(struct hd_maker *m, u64 at, char *object, u64 type, bool is_write)
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
static void begin_origins(struct hd_maker *m)
{
    static const u16 argument[][2] = {{X86_REG_RDI, 5}, {X86_REG_RSI, 4}, {X86_REG_RDX, 1},
                                      {X86_REG_RCX, 2}, {X86_REG_R8, 8}, {X86_REG_R9, 9}};
    memset(m->origin, 0, sizeof m->origin);
    for (u32 i = 0; i < HD_COUNT(argument); i++)
        m->origin[argument[i][0]].reg = argument[i][1] + 1u;
}

static void follow_origin(struct hd_maker *m, const cs_insn *in, u32 to)
{
    const cs_x86_op *op = in->detail->x86.operands;
    struct hd_origin from = {0};
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
static void follow(struct hd_maker *m, const cs_insn *in)
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
void hd_uses_add(struct hd_maker *m, const cs_insn *in)
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
    enum hd_called is = hd_called_what(called);
    u64 type = 0;
    char *object = is == HD_CALL_OTHER ? NULL : first ? object_name(m, first) : member_name(m, &type);
    if (object && (is == HD_CALL_READ || is == HD_CALL_WRITE)) {
        note_access(m, in->address, object, type, is == HD_CALL_WRITE);
        object = NULL;
    } else if (object) {
        note_lock(m, in->address, object, type, is);
    }
    else if (is == HD_CALL_UNLOCK) /* of some lock: one that was taken by its name, perhaps */
        hd_under_add(&m->held, &(struct hd_under_point){.kind = HD_UNDER_UNLOCK, .at = in->address});
    free(object);
    if (is == HD_CALL_OTHER || is == HD_CALL_NEVER_BACK)
        hd_under_add(&m->held, &(struct hd_under_point){
            .kind = is == HD_CALL_OTHER ? HD_UNDER_CALL : HD_UNDER_END, .at = in->address,
            .to = op[0].type == X86_OP_IMM ? (u64)op[0].imm : 0});
    for (u32 i = 0; i < HD_COUNT(lost); i++) {
        m->address[lost[i]] = 0;
        m->origin[lost[i]].reg = 0;
    }
}

void hd_uses_begin(struct hd_maker *m)
{
    memset(m->address, 0, sizeof m->address);
    hd_under_function(&m->held);
    begin_origins(m);
}
