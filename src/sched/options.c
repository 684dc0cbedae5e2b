/* options.c: what a search over runs (src/search) must know of a run and cannot
 * see in its events: who could have been chosen at each choice, and what threads
 * that never went on were about to do. It also keeps sleeping threads out of the
 * run: the host has explored what follows if one of them goes first, so until
 * somebody does what depends on its operation running it shows nothing new. If
 * only such threads are left the run ends (HD_STEP_CUT).
 *
 * Off (cfg.is_search false) it costs one predicted branch per step.
 */
#include "event/depend.h"
#include "sched/internal.h"

#define OUTLIVES 1000 /* steps of others after a deadlock */

static u64 bit(u32 t) { return t < HD_SEARCH_THREADS ? (u64)1 << t : 0; }

/* ---- what is recorded ------------------------------------------------------------------ */

static void report(struct hd_sched *s, struct hd_option *o)
{
    o->flags |= s->timer != HD_NEVER ? HD_OPTION_TIMER : 0;
    if (s->env.chosen)
        s->env.chosen(s->env.self, o);
}

/* Blocked threads whose timeout may come now; HD_OPTION_LATE if others have one. */
static u64 early(const struct hd_sched *s, u8 *flags)
{
    u64 set = 0;
    for (u64 x = s->n_timed ? s->timed[0] & ~s->enabled[0] : 0; x; x &= x - 1) {
        u16 t = (u16)__builtin_ctzll(x);
        if (hd_vtime_is_near(s, t) && s->thread[t].op.deadline <= s->timer &&
            hd_vtime_may_overtake(s, t))
            set |= bit(t);
        else
            *flags |= HD_OPTION_LATE;
    }
    return set;
}

/* A timeout comes for the sake of t, which is picked next: alternatives are
 * those there were before. */
void hd_option_fired(struct hd_sched *s, u16 t)
{
    u64 awake = s->enabled[0] & ~s->yielded[0];
    struct hd_option o = {.could = s->enabled[0], .candidates = awake ? awake : s->enabled[0]};
    o.early = early(s, &o.flags);
    s->fired = t;
    s->before_fired = o;
}

void hd_option_pick(struct hd_sched *s, u16 t, u64 candidates)
{
    const struct hd_op *op = &s->thread[t].op;
    struct hd_option o = {.step = (u32)s->step + 1,
                          .tid = t,
                          .kind = HD_CHOICE_PICK,
                          .could = s->enabled[0],
                          .candidates = candidates};
    if (s->fired == t) {
        o.could = s->before_fired.could;
        o.candidates = s->before_fired.candidates;
        o.early = s->before_fired.early;
        o.flags = s->before_fired.flags;
    } else {
        o.early = early(s, &o.flags);
    }
    s->fired = HD_NO_THREAD;
    if (hd_op_gives_up(op))
        o.flags |= HD_OPTION_GIVES_UP;
    if (hd_op_is_robust(op))
        o.flags |= HD_OPTION_ROBUST;
    if (op->kind == HD_EV_SEM_WAIT && s->thread[t].link.obj->sem.value == 1)
        o.flags |= HD_OPTION_LAST_UNIT;
    if (op->kind >= HD_EV_RDLOCK && op->kind <= HD_EV_TRYWRLOCK && op->arg)
        o.flags |= HD_OPTION_PREFERS;
    report(s, &o);
}

void hd_option_among(struct hd_sched *s, u8 kind, u16 t, u64 could)
{
    struct hd_option o = {.step = (u32)s->step + (kind == HD_CHOICE_SIGNAL || kind == HD_CHOICE_FOREIGN),
                          .tid = t,
                          .kind = kind,
                          .could = could,
                          .candidates = could};
    report(s, &o);
}

void hd_option_stuck(struct hd_sched *s)
{
    struct hd_option o = {.step = (u32)s->step + 1,
                          .tid = HD_NO_THREAD,
                          .kind = HD_CHOICE_PICK,
                          .could = s->enabled[0],
                          .candidates = s->enabled[0]};
    o.early = early(s, &o.flags);
    report(s, &o);
}

/* A search compares whole runs: one that ends while others could go on would
 * have to be tried with every part of what they do. They get some time. */
bool hd_option_outlives(struct hd_sched *s)
{
    if (!s->cfg.is_search) /* ... and a replay of such a run goes as far as it did */
        return s->script.strict && hd_choice_has_script(s);
    if (!s->stuck_step)
        s->stuck_step = s->step + 1;
    u64 any = s->n_timed;
    for (u32 w = 0; w < hd_words(s); w++)
        any |= s->enabled[w];
    return any && s->step < s->stuck_step + OUTLIVES;
}

void hd_option_pending(struct hd_sched *s, u16 t)
{
    const struct hd_op *op = &s->thread[t].op;
    struct hd_pending p = {.step = (u32)s->step,
                           .size = op->size,
                           .kind = op->kind,
                           .flags = hd_op_gives_up(op) ? HD_OPTION_GIVES_UP : 0,
                           .site = op->site,
                           .obj = op->obj,
                           .obj2 = op->obj2,
                           .ctx = op->ctx,
                           .arg = (u32)op->arg};
    if (s->env.pending && t < HD_SEARCH_THREADS)
        s->env.pending(s->env.self, t, &p);
}

/* ---- who sleeps ---------------------------------------------------------------------- */

u32 hd_option_awake(struct hd_sched *s, enum hd_step *end)
{
    u8 flags = 0;
    s->cand[0] &= ~s->asleep;
    u32 n = hd_bits_count(s->cand, hd_words(s));
    if (n)
        return n;
    /* Those awake may be waiting for a time that could come. */
    u64 set = early(s, &flags) & ~s->asleep;
    *end = HD_STEP_CUT;
    if (set) {
        u16 t = (u16)__builtin_ctzll(set);
        hd_choice_log(s, HD_CHOICE_TIMEOUT, t, s->thread[t].op.site);
        hd_option_fired(s, t);
        hd_vtime_overtake(s, t);
        *end = HD_STEP_RESUME;
    }
    return 0;
}

void hd_option_wake(struct hd_sched *s, u16 t, const struct hd_op *op)
{
    struct hd_act a[2], b[2];
    u32 n = hd_act_of_op(a, t, op);
    for (u64 x = s->asleep & ~bit(t); x; x &= x - 1) {
        u16 q = (u16)__builtin_ctzll(x);
        u32 m = hd_act_of_op(b, q, &s->thread[q].op);
        if (s->thread[q].state != HD_T_PENDING || hd_acts_depend(a, n, b, m))
            s->asleep &= ~bit(q);
    }
    s->asleep &= ~bit(t);
}

u16 hd_option_next(const struct hd_sched *s)
{
    u32 words = hd_words(s), from = s->last + 1u;
    if (s->fired != HD_NO_THREAD && hd_bit_is_set(s->cand, s->fired))
        return s->fired;
    if (hd_bit_is_set(s->cand, s->last))
        return s->last;
    HD_BITS_EACH(t, s->cand, words)
        if (t >= from)
            return (u16)t;
    return (u16)hd_bits_nth(s->cand, words, 0);
}
