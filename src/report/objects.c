/* objects.c: what an event touched, in words.
 *
 * Objects on the heap or a stack have no name: they get a letter each, in the
 * order they turn up, and a legend says what is known about them. One letter
 * per allocated block, so that "A+8" and "A+16" are seen to belong together.
 */
#include "report/story.h"

#include <ctype.h>
#include <string.h>

static bool is_thread_number(u8 kind)
{
    return kind == HD_EV_CREATE || kind == HD_EV_START || kind == HD_EV_JOIN ||
           kind == HD_EV_DETACH || kind == HD_EV_KILL;
}

bool hd_name_has_object(u8 kind)
{
    switch (kind) {
    case HD_EV_FENCE: case HD_EV_EXIT: case HD_EV_YIELD: case HD_EV_SLEEP: case HD_EV_SIGWAIT:
    case HD_EV_HANDLER: case HD_EV_RETURN: case HD_EV_NOTE:
        return false;
    default:
        return kind < HD_EV_COUNT;
    }
}

static const char *noun(u8 kind)
{
    switch (kind) {
    case HD_EV_MUTEX_INIT ... HD_EV_CONSISTENT: return "mutex";
    case HD_EV_RW_INIT ... HD_EV_RW_UNLOCK: return "rwlock";
    case HD_EV_COND_INIT ... HD_EV_COND_BROADCAST: return "condition";
    case HD_EV_BARRIER_INIT ... HD_EV_BARRIER_LEAVE: return "barrier";
    case HD_EV_SEM_INIT ... HD_EV_SEM_GETVALUE: return "semaphore";
    case HD_EV_ALLOC: case HD_EV_FREE: return "block";
    default: return "object";
    }
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

static u32 label_of(struct hd_story *st, u8 kind, u64 obj)
{
    const struct hd_finding *f = st->f;
    for (u32 i = 0; i < st->n_labels; i++) {
        const struct hd_label *l = &st->label[i];
        if (l->obj == obj || (l->alloc != ~0u && obj >= l->obj &&
                              obj < l->obj + f->events[l->alloc].arg))
            return i;
    }
    if (st->n_labels == HD_STORY_LABELS)
        return ~0u;
    u32 alloc = find_alloc(f, obj);
    u64 start = alloc != ~0u ? f->events[alloc].obj : obj;
    st->label[st->n_labels] = (struct hd_label){start, kind, alloc};
    return st->n_labels++;
}

bool hd_name_block(struct hd_story *st, u64 addr, char *buf, size_t size)
{
    if (find_alloc(st->f, addr) == ~0u)
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

bool hd_name_object(struct hd_story *st, u8 kind, u64 obj, char *buf, size_t size)
{
    char name[512];
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
        snprintf(buf, size, "descriptor %lld", (long long)(s64)obj);
        return false;
    }
    if (hd_symbols_data(st->s, obj, name, sizeof name, NULL)) {
        hd_name_function(name, 60, buf, size);
        return true;
    }
    u32 i = label_of(st, kind, obj);
    if (i == ~0u)
        snprintf(buf, size, "0x%llx", (unsigned long long)obj);
    else if (obj != st->label[i].obj)
        snprintf(buf, size, "%c+%llu", 'A' + (char)i, (unsigned long long)(obj - st->label[i].obj));
    else
        snprintf(buf, size, "%c", 'A' + (char)i);
    return false;
}

void hd_name_quoted(struct hd_story *st, u8 kind, u64 obj, char *buf, size_t size)
{
    char name[256];
    if (hd_name_object(st, kind, obj, name, sizeof name))
        snprintf(buf, size, "`%s`", name);
    else if (is_thread_number(kind) || kind == HD_EV_IO)
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "%s %s", noun(kind), name);
}

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The bracket of the first call in a line: not that of "if (" or "while (". */
static const char *first_call(const char *text)
{
    static const char *const words[] = {"if", "while", "for", "switch", "return"};
    for (const char *p = text; (p = strchr(p, '(')); p++) {
        const char *end = p, *from;
        while (end > text && end[-1] == ' ')
            end--;
        for (from = end; from > text && is_name_char(from[-1]); from--)
            ;
        bool is_word = from == end;
        for (size_t i = 0, n = (size_t)(end - from); i < HD_COUNT(words); i++)
            is_word |= n == strlen(words[i]) && !strncmp(from, words[i], n);
        if (!is_word)
            return p;
    }
    return NULL;
}

/* What the source line calls the object: "lock(&q->m)" -> "q->m", and
 * "q->m.lock()" -> "q->m". */
static bool expression_at(const struct hd_story *st, u64 site, char *buf, size_t size)
{
    struct hd_srcloc l;
    hd_story_site(st, site, &l);
    const char *text = hd_symbols_source(st->s, &l);
    const char *call = text ? first_call(text) : NULL;
    if (!call)
        return false;
    size_t n = 0;
    if (call[1] == ')') {
        const char *end = call;
        while (end > text && is_name_char(end[-1]))
            end--;
        if (end > text && end[-1] == '.')
            end--;
        else if (end > text + 1 && !strncmp(end - 2, "->", 2))
            end -= 2;
        const char *from = end;
        while (from > text && (is_name_char(from[-1]) || strchr(".:->[]", from[-1])))
            from--;
        call = from;
        n = (size_t)(end - from);
    } else {
        for (call++; *call == ' ' || *call == '&'; call++)
            ;
        for (int depth = 0; call[n] && (depth || (call[n] != ',' && call[n] != ')')); n++)
            depth += (call[n] == '(' || call[n] == '[') - (call[n] == ')' || call[n] == ']');
    }
    if (!n || n > 60 || !(is_name_char(*call) || *call == '(' || *call == '*'))
        return false;
    snprintf(buf, size, "%.*s", (int)n, call);
    return true;
}

/* Adds how threads call the object in their source: ", T1 calls it `from->lock`
 * at dead.c:6". A heap object has as many names as there are pointers to it. */
struct calls {
    char *buf;
    size_t size;
    char seen[3][80];
    u32 n;
};

static void add_call(const struct hd_story *st, struct calls *c, u16 tid, u64 site)
{
    char expr[80], who[48], place[300];
    if (c->n == HD_COUNT(c->seen) || !expression_at(st, site, expr, sizeof expr))
        return;
    for (u32 i = 0; i < c->n; i++)
        if (!strcmp(c->seen[i], expr))
            return;
    memcpy(c->seen[c->n++], expr, sizeof expr);
    hd_name_thread(st, tid, who, sizeof who);
    hd_name_site(st, site, false, place, sizeof place);
    size_t n = strlen(c->buf);
    snprintf(c->buf + n, c->size - n, ", %s calls it `%s` at %s", who, expr, place);
}

static bool is_sync(u8 kind)
{
    enum hd_evclass c = hd_event_class(kind);
    return c >= HD_CLASS_ACQ && c <= HD_CLASS_WAKES;
}

void hd_name_label(const struct hd_story *st, u32 i, char *buf, size_t size)
{
    const struct hd_finding *f = st->f;
    const struct hd_label *l = &st->label[i];
    char place[300], who[48];
    if (l->alloc != ~0u) {
        const struct hd_event *e = &f->events[l->alloc];
        hd_name_site(st, e->site, false, place, sizeof place);
        hd_name_thread(st, e->tid, who, sizeof who);
        snprintf(buf, size, "%c is a block of %u bytes that %s allocated at %s", 'A' + (char)i,
                 e->arg, who, place);
    } else {
        int n = snprintf(buf, size, "%c is the %s at 0x%llx", 'A' + (char)i, noun(l->kind),
                         (unsigned long long)l->obj);
        for (u32 t = 0; t < f->n_threads; t++)
            if (l->obj >= f->threads[t].stack_lo && l->obj < f->threads[t].stack_hi) {
                hd_name_thread(st, f->threads[t].tid, who, sizeof who);
                snprintf(buf + n, size - (size_t)n, ", on the stack of %s", who);
                break;
            }
    }
    if (!is_sync(l->kind))
        return;
    struct calls c = {.buf = buf, .size = size};
    for (u32 k = f->n_events; k-- > 0;)
        if (f->events[k].obj == l->obj && is_sync(f->events[k].kind))
            add_call(st, &c, f->events[k].tid, f->events[k].site);
    for (u32 t = 0; t < f->n_threads; t++)
        if (f->threads[t].state == HD_T_PENDING && f->threads[t].op_obj == l->obj &&
            is_sync(f->threads[t].op_kind))
            add_call(st, &c, f->threads[t].tid, f->threads[t].op_site);
}
