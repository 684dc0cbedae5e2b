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

#include "base/map.h"
#include "report/explain/model.h"

#define PID 1

/* Where arrows may begin: by what is given on and by which object. */
enum source {
    FROM_UNLOCK,
    FROM_WAKER,   /* signal, post, wake, once done, barrier */
    FROM_THREAD,  /* create by child number, exit by its own */
    FROM_WRITE,
    SOURCES
};

struct trace {
    struct hd_json j;
    struct hd_model st;
    const struct hd_finding *f;
    struct hd_map last[SOURCES]; /* object -> index + 1 of the event */
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

/* ---- arrows ---------------------------------------------------------------------- */

static void arrow(struct trace *t, u32 from, u32 to, const char *name)
{
    const struct hd_event *a = &t->f->events[from], *b = &t->f->events[to];
    u32 id = ++t->n_arrows;
    head(t, name, "dependency", "s", a->step, a->tid);
    hd_json_u64(&t->j, "id", id);
    hd_json_end(&t->j);
    head(t, name, "dependency", "f", b->step, b->tid);
    hd_json_u64(&t->j, "id", id);
    hd_json_str(&t->j, "bp", "e");
    hd_json_end(&t->j);
}

static void from(struct trace *t, enum source s, u64 key, u32 i)
{
    hd_map_put(&t->last[s], key, i + 1);
}

static void to(struct trace *t, enum source s, u64 key, u32 i, const char *name)
{
    u64 at = hd_map_get_or(&t->last[s], key, 0);
    if (at && t->f->events[at - 1].tid != t->f->events[i].tid)
        arrow(t, (u32)at - 1, i, name);
}

/* A reader is told once of each write. */
static u64 seen_key(const struct hd_event *e) { return e->obj * 0x9e3779b97f4a7c15ull ^ e->tid; }

static void memory_arrows(struct trace *t, struct hd_map *seen, u32 i)
{
    const struct hd_event *e = &t->f->events[i];
    u64 write = hd_map_get_or(&t->last[FROM_WRITE], e->obj, 0);
    if (e->kind != HD_EV_WRITE && e->kind != HD_EV_ASTORE &&
        hd_map_get_or(seen, seen_key(e), 0) != write) {
        to(t, FROM_WRITE, e->obj, i, "write -> read");
        hd_map_put(seen, seen_key(e), write);
    }
    if (hd_event_class(e->kind) != HD_CLASS_READ)
        from(t, FROM_WRITE, e->obj, i);
}

static void thread_arrows(struct trace *t, u32 i)
{
    const struct hd_event *e = &t->f->events[i];
    if (e->kind == HD_EV_CREATE)
        from(t, FROM_THREAD, e->obj, i);
    else if (e->kind == HD_EV_START)
        to(t, FROM_THREAD, e->tid, i, "create -> start");
    else if (e->kind == HD_EV_EXIT)
        from(t, FROM_THREAD, e->tid, i);
    else if (hd_effects(e) & HD_ACQUIRES)
        to(t, FROM_THREAD, e->obj, i, "exit -> join");
}

/* From who released an object to who acquired it. */
static void arrows(struct trace *t, struct hd_map *seen, u32 i)
{
    static const char *const name[HD_SPACES] = {
        [HD_SPACE_MUTEX] = "unlock -> lock",  [HD_SPACE_RWLOCK] = "unlock -> lock",
        [HD_SPACE_COND] = "signal -> wake",   [HD_SPACE_FUTEX] = "signal -> wake",
        [HD_SPACE_SEM] = "post -> wait",      [HD_SPACE_ONCE] = "once done -> once",
        [HD_SPACE_BARRIER] = "barrier",       [HD_SPACE_NOTE] = "release -> acquire",
    };
    const struct hd_event *e = &t->f->events[i];
    enum hd_space space = hd_space_of(e->kind);
    u32 effects = hd_effects(e);
    if (space == HD_SPACE_THREAD)
        thread_arrows(t, i);
    else if (space == HD_SPACE_MEMORY && effects & (HD_READS | HD_WRITES))
        memory_arrows(t, seen, i);
    if (!name[space])
        return;
    u32 what = effects & (HD_TAKES | HD_GIVES) ? FROM_UNLOCK : FROM_WAKER;
    if (effects & HD_RELEASES)
        from(t, what, e->obj, i);
    if (effects & HD_ACQUIRES)
        to(t, what, e->obj, i, name[space]);
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
        hd_name_object(&t->st, e->kind, e->obj, name, sizeof name);
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
    hd_name_action(&t->st, e->kind, e->obj, e->arg, name, sizeof name);
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
    struct hd_map seen = {0};
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
        arrows(&t, &seen, i);
    }
    hd_json_end(&t.j);
    hd_json_end(&t.j);
    hd_json_finish(&t.j);
    for (u32 i = 0; i < SOURCES; i++)
        hd_map_release(&t.last[i]);
    hd_map_release(&seen);
    hd_model_release(&t.st);
}
