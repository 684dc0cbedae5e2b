/* decided.c: the order of two events that decides the failure, in words: what
 * minimization verified by running both orders (minimize/minimize.c). */
#include "report/explain/model.h"

#include <string.h>

/* Index in f->events, ~0u for what was yet to be done. */
static u32 index_of(const struct hd_model *st, const struct hd_event *e)
{
    const struct hd_finding *f = st->f;
    for (u32 i = 0; e->step && i < f->n_events; i++)
        if (f->events[i].step == e->step && f->events[i].tid == e->tid &&
            f->events[i].kind == e->kind)
            return i;
    return ~0u;
}

/* " (3 -> 4)" or " (saw 3)". */
static void write_value(struct hd_model *st, FILE *to, const struct hd_event *e)
{
    char value[320];
    u32 i = index_of(st, e);
    if (i != ~0u && hd_value_text(st, i, i, value, sizeof value))
        fprintf(to, value[0] == '=' ? " (saw %s)" : " (%s)", value[0] == '=' ? value + 2 : value);
}

/* "T1's write of `x`", or "... of it". */
static void write_deed(struct hd_model *st, FILE *to, const struct hd_event *e, bool is_it)
{
    char who[48], name[320];
    hd_name_thread(st, e->tid, who, sizeof who);
    u32 i = index_of(st, e);
    bool is_free = i != ~0u && hd_model_is_free(st->f, i);
    fprintf(to, "%s's %s", who, is_free ? "free" : hd_name_deed(e));
    if (hd_name_has_object(e->kind) && e->kind != HD_EV_START) {
        hd_name_quoted_of(st, e, name, sizeof name);
        fprintf(to, " %s %s", hd_name_deed_link(e), is_it ? "it" : name);
    }
    if (!is_free)
        write_value(st, to, e);
}

static void write_place(struct hd_model *st, FILE *to, const struct hd_event *e)
{
    char place[320];
    struct hd_srcloc l, up;
    u32 i = index_of(st, e);
    if (!e->site)
        return;
    hd_model_place(st, e, i, &l);
    hd_name_place(st, &l, true, place, sizeof place); /* its path is in the evidence */
    fprintf(to, " at %s", place);
    if (!hd_model_caller(st, e, i, &up))
        return;
    hd_name_place(st, &up, true, place, sizeof place);
    if (l.file && !strcmp(l.file, up.file))
        fprintf(to, " (called in line %d)", up.line);
    else
        fprintf(to, " (called at %s)", place);
}

/* Can "could ... it" be said of it? */
static bool is_verb(u8 kind)
{
    return kind <= HD_EV_ARMW || kind == HD_EV_LOCK || kind == HD_EV_UNLOCK ||
           kind == HD_EV_COND_SIGNAL || kind == HD_EV_COND_BROADCAST || kind == HD_EV_SEM_POST;
}

static void write_second(struct hd_model *st, FILE *to, const struct hd_event *first,
                         const struct hd_event *second)
{
    char who[48];
    bool is_it = hd_name_has_object(first->kind) && first->obj == second->obj &&
                 (first->kind <= HD_EV_ARMW) == (second->kind <= HD_EV_ARMW);
    hd_name_thread(st, second->tid, who, sizeof who);
    fprintf(to, " came before ");
    if (!second->step && is_verb(second->kind) && is_it)
        fprintf(to, "%s could %s it", who, hd_name_deed(second));
    else
        write_deed(st, to, second, is_it);
    write_place(st, to, second);
}

bool hd_sentence_decided(struct hd_model *st, FILE *to)
{
    const struct hd_decided *d = &st->f->decided;
    const struct hd_event *before = &d->event[HD_DECIDED_BEFORE],
                          *first = &d->event[HD_DECIDED_FIRST],
                          *second = &d->event[HD_DECIDED_SECOND];
    char who[48];
    if (!d->is)
        return false;
    write_deed(st, to, first, false);
    write_place(st, to, first);
    if (before->step && before->kind == HD_EV_UNLOCK && before->site == second->site) {
        /* the two halves of a condition wait */
        hd_name_thread(st, before->tid, who, sizeof who);
        fprintf(to, " came while %s had given it up, in its wait", who);
        write_place(st, to, second);
    } else if (before->step) {
        hd_name_thread(st, before->tid, who, sizeof who);
        fprintf(to, " came between %s's %s", who, hd_name_deed(before));
        write_value(st, to, before);
        write_place(st, to, before);
        fprintf(to, " and %s %s", second->step ? "its" : "the", hd_name_deed(second));
        write_value(st, to, second);
        if (!second->step)
            fprintf(to, " it was about to do");
        write_place(st, to, second);
    } else {
        write_second(st, to, first, second);
    }
    fprintf(to, ". In that order it fails %u/%u; the other way round it passes %u/%u.", d->fails,
            d->fails_of, d->passes, d->passes_of);
    return true;
}

u32 hd_decided_find(const struct hd_finding *f, enum hd_decided_event which)
{
    struct hd_model st = {.f = f};
    return f->decided.is ? index_of(&st, &f->decided.event[which]) : ~0u;
}
