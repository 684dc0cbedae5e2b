/* feed_lock.c: which locks the threads of a run hold. See feed_lock.h. */
#include "observe/feed/feed_lock.h"

#include <string.h>

static struct hd_feed_lock *find_held(struct hd_feed *f, u16 tid, u32 obj)
{
    if (tid < f->n_threads) {
        struct hd_feed_thread *th = &f->thread[tid];
        for (size_t i = th->held.n; i--;)
            if (th->held.at[i].obj == obj && th->held.at[i].generation == f->object[obj].generation)
                return &th->held.at[i];
    }
    return NULL;
}

static void forget_held(struct hd_feed *f, u16 tid, struct hd_feed_lock *l)
{
    struct hd_feed_thread *th = &f->thread[tid];
    size_t i = (size_t)(l - th->held.at);
    if (f->object[l->obj].holder == tid)
        f->object[l->obj].holder = HD_NO_THREAD;
    memmove(l, l + 1, (th->held.n - i - 1) * sizeof *l);
    th->held.n--;
    th->locks_changed = f->now;
}

/* Thread tid holds the lock by our tables, yet somebody takes it: if tid waits
 * for a condition, the wait gave the lock up (streams need not say so with an
 * UNLOCK of its own). */
static void release_held(struct hd_feed *f, u16 tid, u32 obj)
{
    struct hd_feed_lock *l = find_held(f, tid, obj);
    if (!l)
        return;
    if (f->thread[tid].wait.now)
        hd_feed_enter_as_write(f, obj, tid, l->is_shared, f->thread[tid].wait);
    forget_held(f, tid, l);
}

void hd_feed_lock_decode_acquire(struct hd_feed *f, struct hd_seen *s)
{
    u32 obj = s->part[0].obj;
    u16 holder = f->object[obj].holder;
    f->object[obj].is_recursive |= s->ev->size == 1;
    if (f->thread[s->tid].wait.now)
        release_held(f, s->tid, obj);
    else
        s->is_nested = find_held(f, s->tid, obj) != NULL;
    if (holder != HD_NO_THREAD && holder != s->tid)
        release_held(f, holder, obj);
    s->part[0].own = hd_feed_own(f, obj, s->tid); /* release_held may have taken its place */
}

void hd_feed_lock_done_acquire(struct hd_feed *f, const struct hd_seen *s)
{
    u32 obj = s->part[0].obj;
    struct hd_feed_thread *th = &f->thread[s->tid];
    th->wait.now = 0;
    if (s->is_nested) {
        struct hd_feed_lock *l = find_held(f, s->tid, obj);
        l->depth++;
        f->object[obj].is_recursive |= !s->flag;
        return;
    }
    *hd_vec_add(&th->held) = (struct hd_feed_lock){f->object[obj].generation, obj, 1, s->flag};
    th->locks_changed = s->now;
    if (!s->flag)
        f->object[obj].holder = s->tid;
}

void hd_feed_lock_decode_release(struct hd_feed *f, struct hd_seen *s)
{
    const struct hd_feed_lock *l = find_held(f, s->tid, s->part[0].obj);
    s->is_nested = l && l->depth > 1;
    s->flag = l && l->is_shared;
}

void hd_feed_lock_done_release(struct hd_feed *f, const struct hd_seen *s)
{
    struct hd_feed_lock *l = find_held(f, s->tid, s->part[0].obj);
    if (l && !--l->depth)
        forget_held(f, s->tid, l);
}
