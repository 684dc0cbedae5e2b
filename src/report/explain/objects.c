/* objects.c: what an event touched, in words.
 *
 * Objects on the heap or a stack have no name: they get a letter each, in the
 * order they turn up, and a legend says what is known about them. One letter
 * per allocated block, so that "A+8" and "A+16" are seen to belong together.
 * Local variables of the main thread are called by their names: there is one of each. Other
 * threads run the same function, so that a name would stand for several.
 */
#include "report/explain/model.h"

#include <string.h>

static bool is_thread_number(u8 kind)
{
    return kind == HD_EV_CREATE || kind == HD_EV_START || kind == HD_EV_JOIN ||
           kind == HD_EV_DETACH || kind == HD_EV_KILL;
}

bool hd_name_has_object(u8 kind)
{
    enum hd_space space = hd_space_of(kind);
    if (space == HD_SPACE_SIGNAL)
        return kind == HD_EV_KILL;
    return space != HD_SPACE_NONE && space != HD_SPACE_FENCE && kind != HD_EV_EXIT;
}

bool hd_is_file_call(const struct hd_event *e)
{
    return e->kind == HD_EV_IO && (e->size == HD_IO_LOOKS || e->size == HD_IO_CHANGES);
}

static const char *noun(u8 kind)
{
    static const char *const nouns[HD_SPACES] = {
        [HD_SPACE_MUTEX] = "mutex",     [HD_SPACE_RWLOCK] = "rwlock", [HD_SPACE_COND] = "condition",
        [HD_SPACE_BARRIER] = "barrier", [HD_SPACE_SEM] = "semaphore", [HD_SPACE_HEAP] = "block",
    };
    const char *name = kind == HD_EV_FREE ? "block" : nouns[hd_space_of(kind)];
    return name ? name : "object";
}

/* Latest allocation before the end that covers obj. */
static u32 find_alloc(const struct hd_finding *f, u64 obj)
{
    for (u32 i = f->n_events; i-- > 0;) {
        const struct hd_event *e = &f->events[i];
        if (e->kind == HD_EV_ALLOC && obj >= e->obj && obj < e->obj + HD_MAX(e->arg, 1u))
            return i;
    }
    return ~0u;
}

/* The block that `obj` lies in: allocated in this run, or the one a heap error is about. */
static bool find_block(const struct hd_finding *f, u64 obj, u32 *alloc, u64 *start, u64 *size)
{
    const struct hd_heap_report *h = &f->verdict.heap;
    *alloc = find_alloc(f, obj);
    if (*alloc != ~0u) {
        *start = f->events[*alloc].obj;
        *size = HD_MAX(f->events[*alloc].arg, 1u);
        return true;
    }
    *start = h->block;
    *size = h->size;
    return f->verdict.kind == HD_V_HEAP && h->block && obj - h->block < h->size;
}

/* Thread whose stack an address is on, HD_NO_THREAD if it is on none. */
static u16 stack_of(const struct hd_finding *f, u64 obj)
{
    for (u32 t = 0; t < f->n_threads; t++)
        if (obj >= f->threads[t].stack_lo && obj < f->threads[t].stack_hi)
            return f->threads[t].tid;
    return HD_NO_THREAD;
}

static bool has_frame(const struct hd_finding *f, u32 i, u64 obj)
{
    return f->events[i].obj == obj && hd_name_has_object(f->events[i].kind) && f->details[i].frame.pc;
}

/* The local variable at an address, by what a replay noted when it was touched: by `at` (NULL: the last
 * event), or the last time before, else the first time after. Calls use the same places of a stack again. */
static bool find_local(const struct hd_model *st, const struct hd_event *at, u64 obj, struct hd_local *out)
{
    const struct hd_finding *f = st->f;
    if (!f->details || stack_of(f, obj) == HD_NO_THREAD)
        return false;
    u32 end = at ? (u32)(at - f->events) + 1 : f->n_events, i = end;
    while (i-- > 0)
        if (has_frame(f, i, obj))
            return hd_symbols_local(st->s, &f->details[i].frame, obj, out);
    for (i = end; i < f->n_events; i++)
        if (has_frame(f, i, obj))
            return hd_symbols_local(st->s, &f->details[i].frame, obj, out);
    return false;
}

bool hd_name_variable(const struct hd_model *st, u64 obj, char *buf, size_t size)
{
    struct hd_local local;
    char name[512];
    if (hd_symbols_data(st->s, obj, name, sizeof name, NULL)) {
        hd_name_function(name, 60, buf, size);
        return true;
    }
    if (stack_of(st->f, obj) != 0 || !find_local(st, st->at, obj, &local))
        return false;
    snprintf(buf, size, "%s", local.name);
    return true;
}

/* Two objects that follow each other at one address of a stack have two letters: what is
 * locked is not what is read. */
static bool is_other_object(const struct hd_label *l, u8 kind)
{
    const char *a = noun(l->kind), *b = noun(kind);
    bool is_memory = !strcmp(a, "object") || !strcmp(a, "block");
    if (is_memory && (!strcmp(b, "object") || !strcmp(b, "block")))
        return false;
    return strcmp(a, b);
}

static u32 label_of(struct hd_model *st, u8 kind, u64 obj)
{
    for (u32 i = 0; i < st->n_labels; i++) {
        const struct hd_label *l = &st->label[i];
        if (l->size ? obj - l->obj < l->size : l->obj == obj && !is_other_object(l, kind))
            return i;
    }
    if (st->n_labels == HD_MODEL_LABELS)
        return ~0u;
    u64 start, size;
    struct hd_label l = {.obj = obj, .kind = kind, .at = st->at};
    if (find_block(st->f, obj, &l.alloc, &start, &size)) {
        l.obj = start;
        l.size = size;
    }
    st->label[st->n_labels] = l;
    return st->n_labels++;
}

bool hd_name_block(struct hd_model *st, u64 addr, char *buf, size_t size)
{
    u64 start, bytes;
    u32 alloc;
    if (!find_block(st->f, addr, &alloc, &start, &bytes))
        return false;
    u32 i = label_of(st, HD_EV_ALLOC, addr);
    if (i == ~0u)
        return false;
    u64 at = addr - st->label[i].obj;
    if (at)
        snprintf(buf, size, "%c+%llu", 'A' + (char)i, (unsigned long long)at);
    else
        snprintf(buf, size, "%c", 'A' + (char)i);
    return true;
}

bool hd_name_object(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size)
{
    buf[0] = 0;
    if (!hd_name_has_object(kind))
        return false;
    if (is_thread_number(kind)) {
        if (kind == HD_EV_KILL && obj >= HD_MAX_THREADS)
            snprintf(buf, size, "the process");
        else
            hd_name_thread(st, (u16)obj, buf, size);
        return false;
    }
    if (kind == HD_EV_IO) {
        if ((s64)obj < 0)
            snprintf(buf, size, st->at && hd_is_file_call(st->at) ? "a file" : "another process or a file");
        else
            snprintf(buf, size, "descriptor %lld", (long long)(s64)obj);
        return false;
    }
    if (!obj) {
        snprintf(buf, size, "that is not known");
        return false;
    }
    if (hd_name_variable(st, obj, buf, size))
        return true;
    u32 i = label_of(st, kind, obj);
    if (i == ~0u)
        snprintf(buf, size, "0x%llx", (unsigned long long)obj);
    else if (obj != st->label[i].obj)
        snprintf(buf, size, "%c+%llu", 'A' + (char)i, (unsigned long long)(obj - st->label[i].obj));
    else
        snprintf(buf, size, "%c", 'A' + (char)i);
    return false;
}

void hd_name_quoted(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size)
{
    char name[256];
    if (hd_name_object(st, kind, obj, name, sizeof name))
        snprintf(buf, size, "`%s`", name);
    else if (is_thread_number(kind) || kind == HD_EV_IO)
        snprintf(buf, size, "%s", name);
    else if (!obj)
        snprintf(buf, size, "a%s %s %s", strchr("aeiou", *noun(kind)) ? "n" : "", noun(kind), name);
    else
        snprintf(buf, size, "%s %s", noun(kind), name);
}

/* The event itself, or the one that a copy was made of; NULL for what was yet to be done. */
static const struct hd_event *of_finding(const struct hd_finding *f, const struct hd_event *e)
{
    if (e >= f->events && e < f->events + f->n_events)
        return e;
    for (u32 i = 0; e->step && i < f->n_events; i++)
        if (f->events[i].step == e->step && f->events[i].tid == e->tid && f->events[i].kind == e->kind)
            return &f->events[i];
    return NULL;
}

bool hd_name_object_of(struct hd_model *st, const struct hd_event *e, char *buf, size_t size)
{
    st->at = of_finding(st->f, e);
    bool is_named = hd_name_object(st, e->kind, e->obj, buf, size);
    st->at = NULL;
    return is_named;
}

void hd_name_quoted_of(struct hd_model *st, const struct hd_event *e, char *buf, size_t size)
{
    st->at = of_finding(st->f, e);
    hd_name_quoted(st, e->kind, e->obj, buf, size);
    st->at = NULL;
}

/* " (int, in struct cache at cache.c:12, a local variable of main())" */
static void add_local(struct hd_model *st, u64 obj, const struct hd_local *l, char *buf, size_t size)
{
    char place[300], who[48];
    u16 tid = stack_of(st->f, obj);
    size_t n = (size_t)snprintf(buf, size, " (%s", l->type[0] ? l->type : "object");
    if (l->container[0] && l->decl.file && n < size) {
        hd_name_place(st, &l->decl, false, place, sizeof place);
        n += (size_t)snprintf(buf + n, size - n, ", in %s at %s", l->container, place);
    }
    hd_name_thread(st, tid, who, sizeof who);
    if (n < size && tid)
        n += (size_t)snprintf(buf + n, size - n, ", `%s`", l->name);
    if (n < size && l->function)
        n += (size_t)snprintf(buf + n, size - n, ", a local variable of %s()", l->function);
    if (n < size)
        snprintf(buf + n, size - n, ", on the stack of %s)", who);
}

void hd_name_typed(struct hd_model *st, u8 kind, u64 obj, char *buf, size_t size)
{
    struct hd_srcloc l;
    struct hd_local local;
    char type[120], in[120], place[300];
    u64 start, bytes;
    u32 alloc;
    hd_name_quoted(st, kind, obj, buf, size);
    size_t n = strlen(buf);
    if (hd_symbols_data(st->s, obj, in, sizeof in, &l) && hd_symbols_is_system(l.module))
        snprintf(buf + n, size - n, " (of the system's libraries)"); /* runtime/icept/string/shared.c */
    else if (hd_symbols_type(st->s, obj, type, sizeof type, &l)) {
        bool is_member = hd_symbols_container(st->s, obj, in, sizeof in);
        n += (size_t)snprintf(buf + n, size - n, " (%s", type);
        if (l.file && n < size) {
            hd_name_place(st, &l, false, place, sizeof place);
            n += (size_t)snprintf(buf + n, size - n, ", %s%s at %s", is_member ? "in " : "declared",
                                  is_member ? in : "", place);
        }
        if (n < size)
            snprintf(buf + n, size - n, ")");
    } else if (find_local(st, st->at, obj, &local)) {
        add_local(st, obj, &local, buf + n, size - n);
    } else if (find_block(st->f, obj, &alloc, &start, &bytes) && alloc != ~0u) {
        hd_model_place(st, &st->f->events[alloc], alloc, &l);
        if (hd_symbols_is_system(l.module))
            return;
        hd_name_place(st, &l, false, place, sizeof place);
        snprintf(buf + n, size - n, " (in a block of %llu bytes allocated at %s)",
                 (unsigned long long)bytes, place);
    }
}

/* Adds how threads call the object in their source: ", T1 calls it `from->lock`
 * at dead.c:6". A heap object has as many names as there are pointers to it. */
struct calls {
    char *buf;
    size_t size;
    char seen[3][80];
    u32 n;
};

static void add_call(const struct hd_model *st, struct calls *c, u16 tid, u8 kind,
                     const struct hd_srcloc *l)
{
    char expr[80], who[48], place[300];
    const char *text = hd_symbols_source(st->s, l);
    if (c->n == HD_COUNT(c->seen) || !text || !hd_expression(text, kind, expr, sizeof expr))
        return;
    for (u32 i = 0; i < c->n; i++)
        if (!strcmp(c->seen[i], expr))
            return;
    memcpy(c->seen[c->n++], expr, sizeof expr);
    hd_name_thread(st, tid, who, sizeof who);
    hd_name_place(st, l, false, place, sizeof place);
    size_t n = strlen(c->buf);
    snprintf(c->buf + n, c->size - n, ", %s calls it `%s` at %s", who, expr, place);
}

static bool is_sync(u8 kind)
{
    enum hd_evclass c = hd_event_class(kind);
    return c >= HD_CLASS_ACQ && c <= HD_CLASS_WAKES;
}

/* How threads call a lock or condition, from the lines that use it. */
static void add_calls(const struct hd_model *st, const struct hd_label *l, char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    struct calls c = {.buf = buf, .size = size};
    struct hd_srcloc at;
    for (u32 k = f->n_events; k-- > 0;)
        if (f->events[k].obj == l->obj && is_sync(f->events[k].kind) && f->events[k].site) {
            hd_model_place(st, &f->events[k], k, &at);
            add_call(st, &c, f->events[k].tid, f->events[k].kind, &at);
        }
    for (u32 t = 0; t < f->n_threads; t++)
        if (f->threads[t].state == HD_T_PENDING && f->threads[t].op_obj == l->obj &&
            is_sync(f->threads[t].op_kind) && hd_model_where(st, f->threads[t].tid, &at))
            add_call(st, &c, f->threads[t].tid, f->threads[t].op_kind, &at);
}

void hd_name_label(const struct hd_model *st, u32 i, char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    const struct hd_label *l = &st->label[i];
    const struct hd_heap_place *alloc = &f->verdict.heap.alloc;
    char place[300], who[48];
    if (l->size && l->alloc != ~0u) {
        const struct hd_event *e = &f->events[l->alloc];
        struct hd_srcloc at;
        hd_model_place(st, e, l->alloc, &at);
        hd_name_thread(st, e->tid, who, sizeof who);
        int n = snprintf(buf, size, "%c is a block of %u bytes that %s allocated", 'A' + (char)i,
                         e->arg, who);
        if (!hd_symbols_is_system(at.module)) {
            hd_name_place(st, &at, false, place, sizeof place);
            snprintf(buf + n, size - (size_t)n, " at %s", place);
        }
    } else if (l->size) {
        int n = snprintf(buf, size, "%c is the block of %llu bytes", 'A' + (char)i,
                         (unsigned long long)l->size);
        if (alloc->n) {
            hd_name_thread(st, alloc->tid, who, sizeof who);
            hd_name_stack_site(st, alloc->pc, alloc->n, place, sizeof place);
            snprintf(buf + n, size - (size_t)n, " that %s allocated at %s", who, place);
        }
    } else {
        struct hd_local local;
        u16 tid = stack_of(f, l->obj);
        int n = snprintf(buf, size, "%c is the %s at 0x%llx", 'A' + (char)i, noun(l->kind),
                         (unsigned long long)l->obj);
        if (find_local(st, l->at, l->obj, &local))
            n = snprintf(buf, size, "%c is `%s`, a local variable of %s()", 'A' + (char)i, local.name,
                         local.function ? local.function : "a function without a name");
        if (tid != HD_NO_THREAD && n < (int)size) {
            hd_name_thread(st, tid, who, sizeof who);
            snprintf(buf + n, size - (size_t)n, ", on the stack of %s", who);
        }
    }
    if (is_sync(l->kind))
        add_calls(st, l, buf, size);
}
