/* trace.c: see trace.h. One microsecond of the picture is one step.
 *
 *   "X" slice     a step of a thread, one unit long: name, place, object
 *   "X" slice     cat "wait": from the step a thread did last to the one it could
 *                 not do before (lock held by another, condition, join)
 *   "i" instant   notes: allocation, free
 *   "s" -> "f"    arrow: unlock to the next lock, signal to the wake-up, post to
 *                 wait, create to start, exit to join, write to the first read
 *                 in another thread
 */
#include "report/format/trace.h"

#include <string.h>

#include "report/explain/model.h"

#define PID 1

struct trace {
    struct hd_json j;
    struct hd_model st;
    const struct hd_finding *f;
    u32 n_arrows;
    u32 *prev;                   /* per thread: index + 1 of its last step */
};

static const char *category(u8 kind)
{
    switch (hd_event_class(kind)) {
    case HD_CLASS_READ: case HD_CLASS_WRITE: case HD_CLASS_RMW: return "memory";
    case HD_CLASS_ACQ: case HD_CLASS_REL: return "lock";
    case HD_CLASS_WAITS: case HD_CLASS_WAKES: return "sync";
    case HD_CLASS_ORDER: return "thread";
    default: return "other";
    }
}

static void head(struct trace *t, const char *name, const char *cat, const char *phase, u64 ts,
                 u16 tid)
{
    hd_json_object(&t->j, NULL);
    hd_json_str(&t->j, "name", name);
    hd_json_str(&t->j, "cat", cat);
    hd_json_str(&t->j, "ph", phase);
    hd_json_u64(&t->j, "ts", ts);
    hd_json_u64(&t->j, "pid", PID);
    hd_json_u64(&t->j, "tid", tid);
}

static void name_track(struct trace *t, u16 tid, const char *key, const char *name)
{
    hd_json_object(&t->j, NULL);
    hd_json_str(&t->j, "name", key);
    hd_json_str(&t->j, "ph", "M");
    hd_json_u64(&t->j, "pid", PID);
    hd_json_u64(&t->j, "tid", tid);
    hd_json_object(&t->j, "args");
    hd_json_str(&t->j, "name", name);
    hd_json_end(&t->j);
    hd_json_end(&t->j);
}

static void arrow(struct trace *t, const struct hd_arrow *a)
{
    const struct hd_event *from = &t->f->events[a->from], *to = &t->f->events[a->to];
    u32 id = ++t->n_arrows;
    head(t, a->name, "dependency", "s", from->step, from->tid);
    hd_json_u64(&t->j, "id", id);
    hd_json_end(&t->j);
    head(t, a->name, "dependency", "f", to->step, to->tid);
    hd_json_u64(&t->j, "id", id);
    hd_json_str(&t->j, "bp", "e");
    hd_json_end(&t->j);
}

/* ---- slices ------------------------------------------------------------------------ */

static void args(struct trace *t, const struct hd_event *e)
{
    char place[320], name[256];
    struct hd_srcloc l;
    hd_json_object(&t->j, "args");
    hd_json_u64(&t->j, "step", e->step);
    hd_json_str(&t->j, "kind", hd_event_text(e->kind));
    if (e->site) {
        hd_model_place(&t->st, e, (u32)(e - t->st.f->events), &l);
        hd_name_place(&t->st, &l, false, place, sizeof place);
        hd_json_str(&t->j, "place", place);
        hd_json_str(&t->j, "function", l.function);
    }
    if (hd_name_has_object(e->kind)) {
        hd_name_object_of(&t->st, e, name, sizeof name);
        hd_json_str(&t->j, "object", name);
        hd_json_hex(&t->j, "address", e->obj);
    }
    hd_json_end(&t->j);
}

/* What the thread did since its last step, if another had to let it through. */
static void wait_slice(struct trace *t, u32 i)
{
    const struct hd_event *e = &t->f->events[i];
    u32 prev = t->prev[e->tid];
    static const char *const names[HD_SPACES] = {
        [HD_SPACE_MUTEX] = "before lock",      [HD_SPACE_RWLOCK] = "before lock",
        [HD_SPACE_COND] = "waits",             [HD_SPACE_FUTEX] = "waits",
        [HD_SPACE_SEM] = "before sem wait",    [HD_SPACE_BARRIER] = "waits at barrier",
        [HD_SPACE_THREAD] = "before join",
    };
    const char *name = hd_may(e->kind, HD_BLOCKS) ? names[hd_space_of(e->kind)] : NULL;
    if (!name)
        return;
    u64 begin = prev ? t->f->events[prev - 1].step + 1 : 0;
    if (!prev || begin >= e->step)
        return;
    head(t, name, "wait", "X", begin, e->tid);
    hd_json_u64(&t->j, "dur", e->step - begin);
    hd_json_end(&t->j);
}

static void slice(struct trace *t, u32 i)
{
    const struct hd_event *e = &t->f->events[i];
    char name[256];
    bool is_note = hd_event_is_note(e->kind);
    hd_name_action(&t->st, e, name, sizeof name);
    head(t, name, category(e->kind), is_note ? "i" : "X", e->step, e->tid);
    if (is_note)
        hd_json_str(&t->j, "s", "t");
    else
        hd_json_u64(&t->j, "dur", 1);
    args(t, e);
    hd_json_end(&t->j);
    if (!is_note)
        t->prev[e->tid] = i + 1;
}

/* ---- the file ------------------------------------------------------------------------ */

static void tracks(struct trace *t)
{
    char who[64];
    const char *slash = strrchr(t->f->program, '/');
    name_track(t, 0, "process_name", slash ? slash + 1 : t->f->program);
    for (u32 i = 0; i < t->f->n_threads; i++) {
        u16 tid = t->f->threads[i].tid;
        hd_name_thread(&t->st, tid, who, sizeof who);
        name_track(t, tid, "thread_name", who);
        hd_json_object(&t->j, NULL);
        hd_json_str(&t->j, "name", "thread_sort_index");
        hd_json_str(&t->j, "ph", "M");
        hd_json_u64(&t->j, "pid", PID);
        hd_json_u64(&t->j, "tid", tid);
        hd_json_object(&t->j, "args");
        hd_json_u64(&t->j, "sort_index", tid);
        hd_json_end(&t->j);
        hd_json_end(&t->j);
    }
}

static void about(struct trace *t)
{
    char title[1024];
    const struct hd_finding *f = t->f;
    hd_report_title(f, t->st.s, title, sizeof title);
    hd_json_object(&t->j, "otherData");
    hd_json_str(&t->j, "tool", "heddle");
    hd_json_str(&t->j, "id", f->id);
    hd_json_str(&t->j, "title", title);
    hd_json_str(&t->j, "time", "1 us is one step");
    hd_json_u64(&t->j, "steps", f->stats.steps);
    hd_json_u64(&t->j, "events", f->n_events);
    hd_json_u64(&t->j, "events_lost", f->stats.events - HD_MIN(f->stats.events, (u64)f->n_events));
    hd_json_end(&t->j);
}

void hd_report_trace(FILE *to_file, const struct hd_finding *f, struct hd_symbols *s)
{
    struct trace t = {.f = f};
    struct hd_arrows arrows;
    u32 prev[HD_MAX_THREADS] = {0};
    t.prev = prev;
    hd_model_init(&t.st, f, s);
    hd_json_begin(&t.j, to_file);
    hd_json_object(&t.j, NULL);
    hd_json_str(&t.j, "displayTimeUnit", "ns");
    about(&t);
    hd_json_array(&t.j, "traceEvents");
    tracks(&t);
    for (u32 i = 0; i < f->n_events; i++) {
        if (f->events[i].tid >= HD_MAX_THREADS)
            continue;
        wait_slice(&t, i);
        slice(&t, i);
    }
    hd_arrows_make(&arrows, f);
    for (size_t i = 0; i < arrows.v.n; i++)
        arrow(&t, &arrows.v.at[i]);
    hd_arrows_release(&arrows);
    hd_json_end(&t.j);
    hd_json_end(&t.j);
    hd_json_finish(&t.j);
    hd_model_release(&t.st);
}
