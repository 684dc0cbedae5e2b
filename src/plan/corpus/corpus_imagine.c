/* corpus_imagine.c: see corpus_imagine.h. What cannot be imagined (futexes, signals, input) is
 * never enabled: its thread stays there. */
#include "plan/corpus/corpus_imagine.h"

#include "event/effect.h"

#include <errno.h>

#define DOUBT 0.02 /* a run that is less probable than this is not gone on with */
#define ROW 64 /* actions that come in one step, at most */

void hd_imagine_init(struct hd_imagine *g, struct hd_habit *m)
{
    memset(g, 0, sizeof *g);
    g->habit = m;
}

void hd_imagine_release(struct hd_imagine *g)
{
    hd_map_release(&g->word);
    hd_map_release(&g->by_lock);
    hd_map_release(&g->count);
    hd_vec_release(&g->lock);
    hd_vec_release(&g->choice);
}

static void start(struct hd_imagine *g, u32 tid)
{
    if (tid >= HD_HABIT_THREADS)
        return;
    while (g->n_threads <= tid)
        g->thread[g->n_threads++].state = HD_IMAGINED_NONE;
    struct hd_imagine_thread *t = &g->thread[tid];
    hd_habit_thread_init(&t->is, (u16)tid);
    t->state = HD_IMAGINED_THERE;
    t->is_woken = false;
    t->round = 0;
    t->next = hd_habit_next(g->habit, &t->is);
}

void hd_imagine_begin(struct hd_imagine *g)
{
    hd_map_clear(&g->word);
    hd_map_clear(&g->by_lock);
    hd_map_clear(&g->count);
    hd_vec_clear(&g->lock);
    hd_vec_clear(&g->choice);
    g->n_threads = 0;
    g->habit->sure = 1;
    g->step = g->left = 0;
    g->current = HD_NO_THREAD;
    start(g, 0);
}

static struct hd_imagine_lock *lock_of(struct hd_imagine *g, u64 obj)
{
    u64 *at = hd_map_ref(&g->by_lock, obj, g->lock.n);
    if (*at == g->lock.n)
        *hd_vec_add(&g->lock) = (struct hd_imagine_lock){0};
    return &g->lock.at[*at];
}

/* Is the lock free for thread tid? */
static bool is_free(struct hd_imagine *g, const struct hd_habit_action *a, u32 tid)
{
    const struct hd_imagine_lock *l = lock_of(g, a->obj);
    if (hd_may(a->kind, HD_SHARED))
        return !l->owner;
    if (hd_space_of(a->kind) == HD_SPACE_MUTEX && l->owner == tid + 1)
        return a->size == 1; /* recursive */
    return !l->owner && !l->readers;
}

/* Is everybody at the barrier whom that round needs? */
static bool is_round_full(struct hd_imagine *g, u64 barrier, u32 round)
{
    u64 parties = hd_map_get_or(&g->habit->parties, barrier, 0);
    return parties && hd_map_get_or(&g->count, barrier, 0) / parties > round;
}

static bool is_enabled(struct hd_imagine *g, u32 tid)
{
    const struct hd_imagine_thread *t = &g->thread[tid];
    const struct hd_habit_action *a = &g->habit->action.at[t->next];
    if (t->state != HD_IMAGINED_THERE || !t->next)
        return false;
    bool blocks = hd_may(a->kind, HD_BLOCKS);
    switch (hd_space_of(a->kind)) {
    case HD_SPACE_MUTEX:
    case HD_SPACE_RWLOCK: return !blocks || is_free(g, a, tid);
    case HD_SPACE_THREAD:
        return !blocks || (a->obj < g->n_threads && g->thread[a->obj].state == HD_IMAGINED_OVER);
    case HD_SPACE_COND: return !blocks || t->is_woken;
    case HD_SPACE_BARRIER: return !blocks || is_round_full(g, a->obj, t->round);
    case HD_SPACE_SEM: return !blocks || hd_map_get_or(&g->count, a->obj, 0) > 0;
    case HD_SPACE_ONCE:
    case HD_SPACE_FUTEX:
    case HD_SPACE_IO:
    case HD_SPACE_SIGNAL: return false;
    default: return true;
    }
}

/* Takes or releases the lock. Returns the outcome. */
static u32 use_lock(struct hd_imagine *g, const struct hd_habit_action *a, u32 tid)
{
    struct hd_imagine_lock *l = lock_of(g, a->obj);
    if (hd_may(a->kind, HD_TAKES)) {
        if (!is_free(g, a, tid))
            return EBUSY;
        if (hd_may(a->kind, HD_SHARED)) {
            l->readers++;
            return 0;
        }
        l->owner = (u16)(tid + 1);
        l->depth++;
    } else if (hd_may(a->kind, HD_GIVES)) {
        if (l->owner == tid + 1)
            l->owner = --l->depth ? l->owner : 0;
        else if (l->readers)
            l->readers--;
    }
    return 0;
}

/* Returns how many. */
static u32 wake(struct hd_imagine *g, u64 cond, u32 most)
{
    u32 n = 0;
    for (u32 i = 0; i < g->n_threads && n < most; i++) {
        struct hd_imagine_thread *t = &g->thread[i];
        const struct hd_habit_action *a = &g->habit->action.at[t->next];
        if (t->state != HD_IMAGINED_THERE || a->kind != HD_EV_COND_WAKE || a->obj != cond || t->is_woken)
            continue;
        t->is_woken = true;
        n++;
    }
    return n;
}

static void live(struct hd_imagine *g, const struct hd_habit_action *a, u32 tid)
{
    if (a->kind == HD_EV_CREATE)
        start(g, (u32)HD_MIN(a->obj, (u64)HD_HABIT_THREADS));
    else if (a->kind == HD_EV_EXIT)
        g->thread[tid].state = HD_IMAGINED_OVER;
}

/* Returns how many were woken. */
static u32 use_condition(struct hd_imagine *g, const struct hd_habit_action *a, u32 tid)
{
    if (hd_may(a->kind, HD_COUNTS))
        return wake(g, a->obj, a->kind == HD_EV_COND_SIGNAL ? 1 : HD_HABIT_THREADS);
    g->thread[tid].is_woken &= !hd_may(a->kind, HD_BLOCKS);
    return 0;
}

static void arrive(struct hd_imagine *g, u64 barrier, u32 tid)
{
    u64 parties = hd_map_get_or(&g->habit->parties, barrier, 1), *n = hd_map_ref(&g->count, barrier, 0);
    g->thread[tid].round = (u32)(*n / HD_MAX(parties, (u64)1));
    ++*n;
}

/* Returns the outcome. */
static u32 use_semaphore(struct hd_imagine *g, const struct hd_habit_action *a)
{
    u64 *n = hd_map_ref(&g->count, a->obj, 0);
    if (hd_may(a->kind, HD_BEGINS))
        *n = a->arg;
    else if (hd_may(a->kind, HD_RELEASES))
        ++*n;
    else if (hd_may(a->kind, HD_ACQUIRES) && !*n)
        return EAGAIN;
    else if (hd_may(a->kind, HD_ACQUIRES))
        --*n;
    return a->arg;
}

/* What it does to others, but for memory. Returns `arg` of the event. */
static u32 have_effect(struct hd_imagine *g, const struct hd_habit_action *a, u32 tid)
{
    switch (hd_space_of(a->kind)) {
    case HD_SPACE_MUTEX:
    case HD_SPACE_RWLOCK: return hd_may(a->kind, HD_TAKES | HD_GIVES) ? use_lock(g, a, tid) : a->arg;
    case HD_SPACE_THREAD: live(g, a, tid); break;
    case HD_SPACE_COND: return use_condition(g, a, tid);
    case HD_SPACE_BARRIER:
        if (hd_may(a->kind, HD_RELEASES))
            arrive(g, a->obj, tid);
        break;
    case HD_SPACE_SEM: return use_semaphore(g, a);
    default: break;
    }
    for (u32 i = 0; i < g->n_threads && a->kind == HD_EV_END; i++)
        g->thread[i].state = HD_IMAGINED_OVER;
    return a->arg;
}

/* One event of the thread: what it does next. */
static void happen(struct hd_imagine *g, u32 tid)
{
    struct hd_imagine_thread *t = &g->thread[tid];
    u32 action = t->next, value = 0, left = 0;
    struct hd_habit_action a = g->habit->action.at[action];
    enum hd_evclass class = hd_event_class(a.kind);
    bool is_access = a.kind <= HD_EV_ARMW, is_failed = false;
    struct hd_event ev = {.step = g->step, .tid = (u16)tid, .kind = a.kind, .size = a.size, .site = a.site,
                          .obj = a.obj, .ctx = a.ctx, .arg = a.arg};
    if (is_access) {
        value = (u32)hd_map_get_or(&g->word, a.obj, hd_map_get_or(&g->habit->initial, a.obj, 0));
        hd_habit_do(g->habit, &t->is, action, value);
        if (class == HD_CLASS_RMW && (is_failed = hd_habit_fails(g->habit, &t->is))) {
            hd_habit_failed(g->habit, &t->is);
            ev.arg |= HD_MO_FAILED;
        }
        left = class == HD_CLASS_READ || is_failed ? value : hd_habit_left(g->habit, &t->is);
        hd_map_put(&g->word, a.obj, left);
    } else {
        ev.arg = have_effect(g, &a, tid);
        hd_habit_do(g->habit, &t->is, action, class == HD_CLASS_ACQ ? ev.arg != 0 : 0);
    }
    g->sink(g->self, &ev, value, g->left);
    g->left = class == HD_CLASS_READ ? 0 : left;
    t->next = t->state == HD_IMAGINED_THERE ? hd_habit_next(g->habit, &t->is) : 0;
}

/* One step. */
static void go(struct hd_imagine *g, u32 tid)
{
    struct hd_imagine_thread *t = &g->thread[tid];
    g->step++;
    g->current = tid;
    if (g->choice.n && hd_vec_last(&g->choice)->tid == tid)
        hd_vec_last(&g->choice)->count++;
    else
        *hd_vec_add(&g->choice) = (struct hd_choice){.count = 1, .tid = (u16)tid, .kind = HD_CHOICE_PICK};
    happen(g, tid);
    for (u32 i = 0; i < ROW && t->next && g->habit->action.at[t->next].is_same_step && is_enabled(g, tid); i++)
        happen(g, tid);
}

void hd_imagine_follow(struct hd_imagine *g, const struct hd_choice *choice, u32 n)
{
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; choice[i].kind == HD_CHOICE_PICK && k < choice[i].count; k++) {
            if (choice[i].tid >= g->n_threads || !is_enabled(g, choice[i].tid))
                break;
            go(g, choice[i].tid);
        }
}

static u32 enabled(struct hd_imagine *g)
{
    u32 bits = 0;
    for (u32 i = 0; i < g->n_threads; i++)
        bits |= (u32)is_enabled(g, i) << i;
    return bits;
}

static u32 any_of(u32 bits, struct hd_rng *rng)
{
    u32 nth = (u32)hd_rng_below(rng, (u64)__builtin_popcount(bits));
    while (nth--)
        bits &= bits - 1;
    return (u32)__builtin_ctz(bits);
}

/* The one whose priority is highest. */
static u32 first_of(struct hd_imagine *g, u32 bits)
{
    u32 best = (u32)__builtin_ctz(bits);
    for (u32 i = best; i < HD_HABIT_THREADS; i++)
        if (bits >> i & 1 && g->priority[i] > g->priority[best])
            best = i;
    return best;
}

void hd_imagine_wander(struct hd_imagine *g, u32 most, struct hd_rng *rng)
{
    /* Bursts of any length, or strict priorities that change now and then. */
    u32 way = (u32)hd_rng_below(rng, 8);
    u64 mask = ((u64)1 << way) - 1;
    for (u32 i = 0; i < HD_HABIT_THREADS; i++)
        g->priority[i] = (u32)hd_rng_next(rng);
    g->current = HD_NO_THREAD;
    for (u32 bits; g->step < most && g->habit->sure > DOUBT && (bits = enabled(g));) {
        bool can_stay = g->current < HD_HABIT_THREADS && bits >> g->current & 1;
        if (way < 6) {
            go(g, can_stay && hd_rng_next(rng) & mask ? g->current : any_of(bits, rng));
            continue;
        }
        if (!hd_rng_below(rng, 24) && g->current < HD_HABIT_THREADS)
            g->priority[g->current] = (u32)hd_rng_next(rng) >> 8;
        go(g, first_of(g, bits));
    }
}
