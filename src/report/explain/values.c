/* values.c: what a replay noted about events besides the events (event/detail.h):
 * values before and after, and the calls around the site. */
#include "report/explain/model.h"

#include <string.h>

const struct hd_detail *hd_model_detail(const struct hd_model *st, u32 event)
{
    return st->f->details && event < st->f->n_events ? &st->f->details[event] : NULL;
}

/* ---- values --------------------------------------------------------------------- */

/* An address in a struct is that of its first member as well: leaves out members as
 * long as what is left begins there too. */
static void whole_object(struct hd_model *st, u64 addr, char *name)
{
    char before[120] = "";
    hd_symbols_data(st->s, addr - 1, before, sizeof before, NULL);
    for (char *end; (end = strrchr(name, '.')) || (end = strrchr(name, '['));) {
        char *bracket = strrchr(name, '[');
        end = bracket > end ? bracket : end;
        size_t n = (size_t)(end - name);
        if (!strncmp(before, name, n) && (before[n] == '.' || before[n] == '['))
            return;
        *end = 0;
    }
}

/* Numbers as people write them, addresses by the name of what is there. */
static void value_text(struct hd_model *st, u64 v, u8 size, char *buf, size_t n)
{
    char name[120];
    u64 start;
    s64 number = size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (s32)v : (s64)v;
    if (number > -1000000 && number < 1000000000) {
        snprintf(buf, n, "%lld", (long long)number);
        return;
    }
    if (size == 8 && hd_symbols_data(st->s, v, name, sizeof name, NULL)) {
        if (!strncmp(name, "vtable of ", 10)) {
            name[strcspn(name, "+")] = 0; /* objects point behind its first words */
            snprintf(buf, n, "%s", name);
            return;
        }
        whole_object(st, v, name);
        snprintf(buf, n, "&%s", name);
        return;
    }
    if (size == 8 && hd_symbols_function(st->s, v, &start) && start == v) {
        struct hd_srcloc l;
        if (hd_symbols_code(st->s, v, false, &l, 1) && l.function) {
            snprintf(buf, n, "%s", l.function);
            return;
        }
    }
    if (size == 8 && hd_name_block(st, v, name, sizeof name))
        snprintf(buf, n, "&%s", name);
    else
        snprintf(buf, n, "0x%llx", (unsigned long long)v);
}

bool hd_value_text(struct hd_model *st, u32 event, u32 last, char *buf, size_t size)
{
    const struct hd_detail *d = hd_model_detail(st, event), *e = hd_model_detail(st, last);
    char old[160], new[160];
    buf[0] = 0;
    if (!d || !e || !(d->known & HD_DETAIL_BEFORE))
        return false;
    const struct hd_event *ev = &st->f->events[event];
    value_text(st, d->before, ev->size, old, sizeof old);
    if (hd_event_class(ev->kind) == HD_CLASS_READ) {
        if (event == last || d->before == e->before)
            snprintf(buf, size, "= %s", old);
    } else if (e->known & HD_DETAIL_AFTER) {
        value_text(st, e->after, ev->size, new, sizeof new);
        snprintf(buf, size, "%s -> %s", old, new);
    }
    return buf[0];
}

/* ---- places ----------------------------------------------------------------------- */

/* The nth position in the user's code, innermost first: of the site, inlined frames
 * apart, then of the calls around it. */
static bool users_frame(const struct hd_model *st, u64 site, const u64 *caller, u32 n, u32 nth,
                        struct hd_srcloc *out)
{
    for (u32 i = 0; i <= n; i++) {
        struct hd_srcloc l[16];
        int got = hd_symbols_code(st->s, i ? caller[i - 1] : site, true, l, 16);
        for (int k = 0; k < got; k++)
            if (hd_model_is_users(&l[k]) && (!i || (l[k].file && l[k].line)) && !nth--) {
                *out = l[k];
                return true;
            }
    }
    return false;
}

/* Calls around the event, from where they are known: a replay's notes or, for what a
 * thread was about to do, its stack. */
static u32 callers_of(const struct hd_model *st, const struct hd_event *e, u32 index,
                      const u64 **out)
{
    const struct hd_detail *d = hd_model_detail(st, index);
    const struct hd_finding_thread *t = hd_model_thread(st, e->tid);
    *out = NULL;
    if (d) {
        *out = d->caller;
        return HD_MIN(d->n_callers, (u32)HD_DETAIL_CALLERS);
    }
    if (e->step || !t || t->state != HD_T_PENDING || t->op_site != e->site || t->n_frames < 2)
        return 0;
    *out = t->frames + 1;
    return t->n_frames - 1;
}

void hd_model_place(const struct hd_model *st, const struct hd_event *e, u32 index,
                    struct hd_srcloc *out)
{
    const u64 *caller;
    u32 n = callers_of(st, e, index, &caller);
    if (!users_frame(st, e->site, caller, n, 0, out))
        hd_model_site(st, e->site, out);
}

bool hd_model_caller(const struct hd_model *st, const struct hd_event *e, u32 index,
                     struct hd_srcloc *out)
{
    const u64 *caller;
    u32 n = callers_of(st, e, index, &caller);
    return users_frame(st, e->site, caller, n, 1, out) && out->file && out->line;
}
