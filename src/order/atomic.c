/* atomic.c: the order that atomic operations and fences make, as C11 says.
 *
 *   T1                      T2
 *   store x, release                            heads a release sequence of x
 *                           x++, relaxed        an update of any thread continues it,
 *   store x, relaxed                            so does a store of the thread that heads it
 *   load x, acquire                             knows what the heads published
 *
 * A release fence makes heads of its thread's later stores, an acquire fence makes acquiring
 * what its thread's earlier loads read. C++20 ends a release sequence at the thread's own
 * relaxed store; correct C11 programs rely on it, so it counts.
 */
#include "order/order.h"

#include "base/vec.h"

static void copy(struct hd_vclock *to, const struct hd_vclock *from)
{
    hd_vclock_clear(to);
    hd_vclock_join(to, from);
}

static struct hd_order_head *add_head(struct hd_order_object *x, u32 tid)
{
    if (x->n_heads >= x->cap_heads)
        x->heads = hd_vec_room_zeroed(x->heads, &x->cap_heads, x->n_heads, sizeof *x->heads);
    struct hd_order_head *h = &x->heads[x->n_heads++];
    h->tid = tid;
    hd_vclock_clear(&h->clock);
    return h;
}

static struct hd_order_head *find_head(struct hd_order_object *x, u32 tid)
{
    for (u32 i = 0; i < x->n_heads; i++)
        if (x->heads[i].tid == tid)
            return &x->heads[i];
    return NULL;
}

/* A store ends the release sequences of other threads. */
static void drop_others(struct hd_order_object *x, u32 tid)
{
    struct hd_order_head *own = find_head(x, tid);
    if (own)
        copy(&x->published, &own->clock);
    else if (x->n_heads || x->head != tid + 1)
        hd_vclock_clear(&x->published);
    x->head = x->published.n ? tid + 1 : 0;
    x->n_heads = 0;
}

/* The thread heads one more, with what it publishes by that. */
static void head(struct hd_order_object *x, u32 tid, const struct hd_vclock *clock)
{
    if (!x->head && !x->n_heads)
        x->head = tid + 1;
    if (x->head != tid + 1 || x->n_heads) {
        if (!x->n_heads)
            copy(&add_head(x, x->head - 1)->clock, &x->published);
        struct hd_order_head *own = find_head(x, tid);
        hd_vclock_join(&(own ? own : add_head(x, tid))->clock, clock);
    }
    hd_vclock_join(&x->published, clock);
}

void hd_order_atomic_before(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                            u64 generation)
{
    struct hd_order_thread *th = hd_order_thread(o, ev->tid);
    if (hd_space_of(ev->kind) == HD_SPACE_FENCE) {
        if (effects & HD_ACQUIRES)
            hd_order_learn(o, ev->tid, &th->read);
        if (ev->arg == HD_MO_SEQ_CST)
            hd_order_learn(o, ev->tid, &o->fences);
        return;
    }
    const struct hd_order_object *x = hd_order_object(o, object, generation);
    if (effects & HD_ACQUIRES)
        hd_order_learn(o, ev->tid, &x->published);
    else if (effects & HD_READS)
        hd_vclock_join(&th->read, &x->published);
}

void hd_order_atomic_after(struct hd_order *o, const struct hd_event *ev, u32 effects, u32 object,
                           u64 generation)
{
    struct hd_order_thread *th = hd_order_thread(o, ev->tid);
    if (hd_space_of(ev->kind) == HD_SPACE_FENCE) {
        if (effects & HD_RELEASES) {
            hd_vclock_clear(&th->fenced);
            hd_order_publish(o, ev->tid, &th->fenced);
        }
        if (ev->arg == HD_MO_SEQ_CST)
            hd_vclock_join(&o->fences, &th->fenced);
        return;
    }
    if (!(effects & HD_WRITES))
        return;
    struct hd_order_object *x = hd_order_object(o, object, generation);
    if (!(effects & HD_READS))
        drop_others(x, ev->tid);
    if (effects & HD_RELEASES) {
        struct hd_vclock now = {0};
        hd_order_publish(o, ev->tid, &now);
        head(x, ev->tid, &now);
        hd_vclock_release(&now);
    } else if (th->fenced.n) {
        head(x, ev->tid, &th->fenced);
    }
}
