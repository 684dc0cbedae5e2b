/* must_pass.c: what is passed on. A thread that has read what another one wrote
 * under the same lock, or atomically, may do what it does next only because of
 * that: it took an item from a queue, saw a flag, was the last to count down. So
 * what follows is held to come after what the writer had done by then:
 *
 *   T1  fill(x)  lock(m) put(q, x) unlock(m)
 *   T2                                        lock(m) get(q) unlock(m)  use(x)
 *
 * use(x) before fill(x) is not predicted from this run. Nothing is lost for good:
 * the critical sections themselves stay open to both orders (T2 learns when it
 * has released all locks), so some run will have them the other way round; if T2
 * uses x even then, that run predicts it.
 *
 * Deviation: Maple (OOPSLA 2012) takes all such uses for concurrent; most of what
 * it predicts and cannot expose are these.
 */
#include "predict/must.h"

static struct hd_pass *pass_of(struct hd_must *o, const struct hd_feed *f, u32 obj)
{
    if (HD_UNLIKELY(obj >= o->cap_passes))
        o->pass = hd_vec_room_zeroed(o->pass, &o->cap_passes, obj, sizeof *o->pass);
    struct hd_pass *p = &o->pass[obj];
    if (p->generation != f->object[obj].generation || p->round != o->pass_round)
        *p = (struct hd_pass){.generation = f->object[obj].generation, .round = o->pass_round};
    return p;
}

/* What the thread knew when it ended that epoch by giving up a lock. */
static u32 clock_at_end(const struct hd_must *o, u32 tid, u32 epoch, u32 otherwise)
{
    const struct hd_must_thread *th = &o->thread[tid];
    size_t low = 0, high = th->ended.n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (th->ended.at[mid].epoch < epoch)
            low = mid + 1;
        else
            high = mid;
    }
    return low < th->ended.n && th->ended.at[low].epoch == epoch ? th->ended.at[low].clock
                                                                 : otherwise;
}

u32 hd_must_clock_then(const struct hd_must *o, u32 tid, u32 time, u32 clock)
{
    const struct hd_must_thread *th = &o->thread[tid];
    size_t low = 0, high = th->learned.n;
    if (!high || th->learned.at[high - 1].to < time)
        return clock;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (th->learned.at[mid].to < time)
            low = mid + 1;
        else
            high = mid;
    }
    return th->learned.at[low].from <= time ? th->learned.at[low].clock : clock;
}

static void join_clock(const struct hd_must *o, struct hd_vclock *to, u32 clock)
{
    const u32 *c = o->snapshot.at + clock;
    for (u32 t = c[0]; t--;)
        if (c[1 + t])
            hd_vclock_learn(to, t, c[1 + t]);
}

void hd_must_learn_clock(struct hd_must *o, u16 tid, u32 clock, u16 from, u32 epoch)
{
    struct hd_vclock *v = &o->passed;
    v->n = 0;
    join_clock(o, v, clock);
    hd_vclock_learn(v, from, epoch);
    hd_must_learn(o, tid, v);
}

static void read_part(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s,
                      u32 obj)
{
    struct hd_must_thread *th = &o->thread[s->tid];
    const struct hd_pass *p = pass_of(o, f, obj);
    if (!p->epoch || p->tid == s->tid || hd_vclock_at(hd_must_known(o, s->tid), p->tid) >= p->epoch)
        return;
    if (p->lockset && th->lockset &&
        hd_lockset_common(&o->locksets, p->lockset, th->lockset).a) {
        if (hd_vclock_at(&th->pending, p->tid) >= p->epoch)
            return;
        join_clock(o, &th->pending, clock_at_end(o, p->tid, p->epoch, p->clock));
        hd_vclock_learn(&th->pending, p->tid, p->epoch);
        hd_must_learn_clock(o, s->tid, p->clock, p->tid, p->before);
    } else if (p->is_atomic) {
        hd_must_learn_clock(o, s->tid, p->clock, p->tid, p->epoch);
    }
}

static void write_part(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s,
                       u32 obj)
{
    u32 clock = hd_must_clock(o, s->tid);
    const struct hd_must_thread *th = &o->thread[s->tid];
    struct hd_pass *p = pass_of(o, f, obj);
    p->tid = s->tid;
    p->epoch = *hd_must_epoch(o, s->tid);
    p->before = th->locked_epoch;
    p->clock = clock;
    p->lockset = th->lockset;
    p->is_atomic = s->flag;
}

/* It learned by what it did from then to then. */
static void remember(struct hd_must *o, u16 tid, u32 from, u32 to)
{
    u32 clock = hd_must_clock(o, tid);
    struct hd_must_thread *th = &o->thread[tid];
    while (th->learned.n && th->learned.at[th->learned.n - 1].to >= from)
        th->learned.n--;
    *hd_vec_add(&th->learned) = (struct hd_learning_rate){from, to, clock};
}

void hd_must_pass_after(struct hd_must *o, const struct hd_feed *f, const struct hd_seen *s)
{
    bool is_write = s->what == HD_DOES_WRITE || s->what == HD_DOES_RMW;
    u64 version = o->version;
    if (s->what == HD_DOES_READ || s->what == HD_DOES_RMW)
        for (u32 i = 0; i < s->n; i++)
            read_part(o, f, s, s->part[i].obj);
    if (o->version != version)
        remember(o, s->tid, s->time, s->time);
    o->thread[s->tid].has_acted |= !o->thread[s->tid].lockset;
    if (!is_write)
        return;
    for (u32 i = 0; i < s->n; i++)
        write_part(o, f, s, s->part[i].obj);
    o->thread[s->tid].has_written |= o->thread[s->tid].lockset != 0;
    if (s->flag)
        ++*hd_must_epoch(o, s->tid);
}

/* The first lock is about to be taken. */
void hd_must_pass_lock(struct hd_must *o, u16 tid)
{
    struct hd_must_thread *th = &o->thread[tid];
    u32 *epoch = hd_must_epoch(o, tid);
    *epoch += th->has_acted;
    th->has_acted = false;
    th->locked_epoch = *epoch - 1;
}

/* The lock is no longer among those held. */
void hd_must_pass_unlocked(struct hd_must *o, const struct hd_seen *s)
{
    struct hd_must_thread *th = &o->thread[s->tid];
    u32 *epoch = hd_must_epoch(o, s->tid);
    if (!th->held.n && th->pending.n) {
        u64 version = o->version;
        hd_must_learn(o, s->tid, &th->pending);
        th->pending.n = 0;
        if (o->version != version)
            remember(o, s->tid, th->locked_from, s->time);
    }
    if (!th->has_written)
        return;
    u32 clock = hd_must_clock(o, s->tid);
    *hd_vec_add(&th->ended) = (struct hd_ended){*epoch, clock};
    th->has_written = false;
    ++*epoch;
}

/* Each gap of a long run does that: its cost must not grow with the memory there is. */
void hd_must_pass_clear(struct hd_must *o)
{
    o->pass_round++;
    for (u32 t = 0; t < o->cap_threads; t++) {
        hd_vec_clear(&o->thread[t].ended);
        hd_vec_clear(&o->thread[t].learned);
    }
}

void hd_must_pass_release(struct hd_must *o)
{
    for (u32 t = 0; t < o->cap_threads; t++) {
        hd_vec_release(&o->thread[t].ended);
        hd_vec_release(&o->thread[t].learned);
        hd_vclock_release(&o->thread[t].pending);
    }
    free(o->pass);
    hd_vclock_release(&o->passed);
}
