/* arrows.c: what depends on what between threads, for pictures of a run:
 *
 *   unlock -> the next lock, signal -> wake-up, post -> wait, create -> start,
 *   exit -> join, write -> the first read in each other thread
 */
#include "report/explain/model.h"

#include "base/map.h"

/* Where arrows may begin: by what is given on and by which object. */
enum source {
    FROM_UNLOCK,
    FROM_WAKER,   /* signal, post, wake, once done, barrier */
    FROM_THREAD,  /* create by child number, exit by its own */
    FROM_WRITE,
    SOURCES
};

struct maker {
    const struct hd_finding *f;
    struct hd_arrows *out;
    struct hd_map last[SOURCES]; /* object -> index + 1 of the event */
    struct hd_map seen;          /* object and thread -> the write it has read last */
};

static void from(struct maker *m, enum source s, u64 key, u32 i)
{
    hd_map_put(&m->last[s], key, i + 1);
}

static void to(struct maker *m, enum source s, u64 key, u32 i, const char *name)
{
    u64 at = hd_map_get_or(&m->last[s], key, 0);
    if (at && m->f->events[at - 1].tid != m->f->events[i].tid)
        *hd_vec_add(&m->out->v) = (struct hd_arrow){(u32)at - 1, i, name};
}

static u64 seen_key(const struct hd_event *e) { return e->obj * 0x9e3779b97f4a7c15ull ^ e->tid; }

static void memory_arrows(struct maker *m, u32 i)
{
    const struct hd_event *e = &m->f->events[i];
    u64 write = hd_map_get_or(&m->last[FROM_WRITE], e->obj, 0);
    if (e->kind != HD_EV_WRITE && e->kind != HD_EV_ASTORE &&
        hd_map_get_or(&m->seen, seen_key(e), 0) != write) {
        to(m, FROM_WRITE, e->obj, i, "write -> read");
        hd_map_put(&m->seen, seen_key(e), write);
    }
    if (hd_event_class(e->kind) != HD_CLASS_READ)
        from(m, FROM_WRITE, e->obj, i);
}

static void thread_arrows(struct maker *m, u32 i)
{
    const struct hd_event *e = &m->f->events[i];
    if (e->kind == HD_EV_CREATE)
        from(m, FROM_THREAD, e->obj, i);
    else if (e->kind == HD_EV_START)
        to(m, FROM_THREAD, e->tid, i, "create -> start");
    else if (e->kind == HD_EV_EXIT)
        from(m, FROM_THREAD, e->tid, i);
    else if (hd_effects(e) & HD_ACQUIRES)
        to(m, FROM_THREAD, e->obj, i, "exit -> join");
}

/* From who released an object to who acquired it. */
static void arrows_of(struct maker *m, u32 i)
{
    static const char *const name[HD_SPACES] = {
        [HD_SPACE_MUTEX] = "unlock -> lock",  [HD_SPACE_RWLOCK] = "unlock -> lock",
        [HD_SPACE_COND] = "signal -> wake",   [HD_SPACE_FUTEX] = "signal -> wake",
        [HD_SPACE_SEM] = "post -> wait",      [HD_SPACE_ONCE] = "once done -> once",
        [HD_SPACE_BARRIER] = "barrier",       [HD_SPACE_NOTE] = "release -> acquire",
    };
    const struct hd_event *e = &m->f->events[i];
    enum hd_space space = hd_space_of(e->kind);
    u32 effects = hd_effects(e);
    if (space == HD_SPACE_THREAD)
        thread_arrows(m, i);
    else if (space == HD_SPACE_MEMORY && effects & (HD_READS | HD_WRITES))
        memory_arrows(m, i);
    if (!name[space])
        return;
    u32 what = effects & (HD_TAKES | HD_GIVES) ? FROM_UNLOCK : FROM_WAKER;
    if (effects & HD_RELEASES)
        from(m, what, e->obj, i);
    if (effects & HD_ACQUIRES)
        to(m, what, e->obj, i, name[space]);
}

void hd_arrows_make(struct hd_arrows *a, const struct hd_finding *f)
{
    struct maker m = {.f = f, .out = a};
    *a = (struct hd_arrows){0};
    for (u32 i = 0; i < f->n_events; i++)
        if (f->events[i].tid < HD_MAX_THREADS)
            arrows_of(&m, i);
    for (u32 i = 0; i < SOURCES; i++)
        hd_map_release(&m.last[i]);
    hd_map_release(&m.seen);
}

void hd_arrows_release(struct hd_arrows *a)
{
    hd_vec_release(&a->v);
}
