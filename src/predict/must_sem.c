/* must_sem.c: which posts must come before a wait.
 *
 * A wait needs a token. Before it come, for certain, the waits and posts in its
 * past; if these leave none, posts that are not in its past must have come, too.
 * Of the posts of thread u at least as many as all others together fall short:
 *
 *   need = waits in the past + 1 - initial - posts in the past
 *   must(u) = need - (open posts of all threads but u)
 *
 * So a semaphore that starts at 1 and is used like a lock orders nothing, one
 * that starts at 0 orders its waiter after its only poster, and two posters
 * leave open which of them it was.
 */
#include "predict/must.h"

enum { KEPT = 4096 }; /* operations of one thread on one semaphore */

static struct hd_sem_thread *sem_thread(struct hd_must_object *x, u16 tid)
{
    for (size_t i = 0; i < x->sem.n; i++)
        if (x->sem.at[i].tid == tid)
            return &x->sem.at[i];
    struct hd_sem_thread *st = hd_vec_add(&x->sem);
    *st = (struct hd_sem_thread){.tid = tid};
    return st;
}

/* How many of these epochs are at most `epoch`. */
static u32 count_to(const u32 *at, size_t n, u32 epoch)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (at[mid] <= epoch)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (u32)lo;
}

static u32 known_epoch(const struct hd_must *o, u16 tid, u16 of)
{
    return of == tid ? HD_EPOCH_NEVER : hd_vclock_at(hd_must_known(o, tid), of);
}

static void learn_post(struct hd_must *o, u16 tid, const struct hd_sem_thread *st, u32 number)
{
    const u32 *c = o->snapshot.at + st->post_clock.at[number];
    struct hd_vclock v = {.n = c[0], .cap = c[0], .at = (u32 *)c + 1};
    struct hd_vclock mine = {0};
    hd_vclock_join(&mine, &v);
    hd_vclock_learn(&mine, st->tid, st->post.at[number]);
    hd_must_learn(o, tid, &mine);
    hd_vclock_release(&mine);
}

void hd_must_sem_wait(struct hd_must *o, struct hd_must_object *x, u16 tid)
{
    s64 need = 1, open = 0;
    x->is_sem = true;
    x->waits++;
    if (x->waits > x->initial + x->posts)
        x->initial = x->waits - x->posts; /* made before anybody looked */
    need -= x->initial;
    for (size_t i = 0; i < x->sem.n; i++) {
        const struct hd_sem_thread *st = &x->sem.at[i];
        u32 epoch = known_epoch(o, tid, st->tid);
        u32 posts = count_to(st->post.at, st->post.n, epoch);
        need += count_to(st->wait.at, st->wait.n, epoch);
        need -= posts;
        open += (s64)st->post.n - posts;
    }
    for (size_t i = 0; need > 0 && i < x->sem.n; i++) {
        const struct hd_sem_thread *st = &x->sem.at[i];
        u32 posts = count_to(st->post.at, st->post.n, known_epoch(o, tid, st->tid));
        s64 own = (s64)st->post.n - posts, must = need - (open - own);
        if (must > 0 && own > 0)
            learn_post(o, tid, st, posts + (u32)HD_MIN(must, own) - 1);
    }
    struct hd_sem_thread *own = sem_thread(x, tid);
    if (own->wait.n < KEPT) /* later ones would only ask for more posts */
        *hd_vec_add(&own->wait) = *hd_must_epoch(o, tid);
}

void hd_must_sem_post(struct hd_must *o, struct hd_must_object *x, u16 tid)
{
    struct hd_sem_thread *st = sem_thread(x, tid);
    x->is_sem = true;
    x->posts++;
    if (st->post.n < KEPT) {
        *hd_vec_add(&st->post_clock) = hd_must_clock(o, tid);
        *hd_vec_add(&st->post) = *hd_must_epoch(o, tid);
    }
    ++*hd_must_epoch(o, tid);
}
