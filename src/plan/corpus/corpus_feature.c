/* corpus_feature.c: events of a run -> its features. See corpus.h.
 *
 * A site counts with its call context, and with the outcome of a call (got the lock, found
 * a waiter): the same line in a helper function is another one for each caller.
 * Executions are counted from a landmark: the beginning of the thread, or the last barrier.
 */
#include "plan/corpus/corpus_slot.h"

#include "event/effect.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 50000   /* of a run that are looked at; */
#define COUNTED 5000   /* ... in which streaks and passes are counted, and plain accesses are */
#define FINALS 12      /* words; what a run with more of them leaves is not looked at */
#define JOINED 64      /* words; the past of a state of more is not computed */
#define FEW 1024       /* features that were new in a run, or better; memory for more is not kept */

struct hd_corpus_slot *hd_corpus_slots_new(u32 n)
{
    struct hd_corpus_slot *s = calloc(n, sizeof *s);
    HD_ASSERT(s);
    for (u32 i = 0; i < n; i++) {
        s[i].thread = calloc(THREADS, sizeof *s[i].thread);
        HD_ASSERT(s[i].thread);
        hd_map_init(&s[i].by_obj);
        hd_map_init(&s[i].by_word);
        hd_map_init(&s[i].by_view);
        hd_past_init(&s[i].past);
    }
    return s;
}

void hd_corpus_slots_free(struct hd_corpus_slot *s, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        free(s[i].thread);
        hd_map_release(&s[i].by_obj);
        hd_map_release(&s[i].by_word);
        hd_map_release(&s[i].by_view);
        hd_vec_release(&s[i].view);
        hd_vec_release(&s[i].word);
        hd_vec_release(&s[i].last);
        hd_vec_release(&s[i].better);
        hd_vec_release(&s[i].past_of);
        hd_vec_release(&s[i].seen);
        hd_past_release(&s[i].past);
    }
    free(s);
}

void hd_corpus_begin(struct hd_corpus *c, u32 slot)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    s->is_under_way = true;
    s->fresh = 0;
    memset(s->thread, 0, s->n_threads * sizeof *s->thread);
    s->n_threads = s->n_events = 0;
    s->stamp = ++c->stamp;
    hd_past_begin(&s->past);
    hd_vec_clear(&s->seen);
    hd_map_clear(&s->by_obj);
    hd_map_clear(&s->by_word);
    hd_map_clear(&s->by_view);
    hd_vec_clear(&s->view);
    hd_vec_clear(&s->word);
    s->state = 0;
    s->last_step = (struct hd_event){0};
    s->access.kind = HD_EV_COUNT;
    memset(s->recent, 0, sizeof s->recent);
    hd_vec_clear(&s->last);
    hd_vec_clear(&s->better);
    hd_vec_clear(&s->past_of);
    s->n_pasts = 0;
}

void hd_corpus_rest(struct hd_corpus *c, u32 slot)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    s->is_under_way = false;
    if (s->better.n <= FEW)
        return;
    hd_vec_release(&s->better);
    hd_vec_release(&s->past_of);
}

const struct hd_corpus_better *hd_corpus_betters(const struct hd_corpus *c, u32 slot, size_t *n)
{
    *n = c->slot[slot].better.n;
    return c->slot[slot].better.at;
}

u32 hd_corpus_fresh(const struct hd_corpus *c, u32 slot) { return c->slot[slot].fresh; }
u32 hd_corpus_stamp(const struct hd_corpus *c, u32 slot) { return c->slot[slot].stamp; }

bool hd_corpus_had(const struct hd_corpus *c, u32 slot, u32 feature)
{
    return c->feature.at[feature].stamp == c->slot[slot].stamp;
}

static u64 mix(u64 a, u64 b) { return hd_corpus_mix(a, b); }

/* The moment when events a and b, and what led to them, have happened. */
static struct hd_moment moment_of(const struct hd_past *p, const struct hd_event *ev, u32 a, u32 b)
{
    struct hd_moment m = {.ev = ev, .steps = ev->step, .has_past = a != 0};
    hd_past_join_data(p, &m.cut, a);
    hd_past_join_data(p, &m.cut, b);
    if (m.has_past)
        m.steps = hd_past_steps(p, &m.cut);
    return m;
}

const struct hd_past *hd_corpus_past(const struct hd_corpus *c, u32 slot) { return &c->slot[slot].past; }

u32 *hd_corpus_pasts(const struct hd_corpus *c, u32 slot, u32 *n, u32 *n_threads)
{
    const struct hd_corpus_slot *s = &c->slot[slot];
    u32 threads = hd_past_threads(&s->past), step[HD_PAST_THREADS];
    u32 *to = malloc((size_t)s->n_pasts * threads * sizeof *to + 1), *end = to;
    HD_ASSERT(to);
    for (size_t i = 0; i < s->past_of.n; i += 1u + s->past_of.at[i]) {
        struct hd_cut cut = {{0}};
        memcpy(cut.at, &s->past_of.at[i + 1], s->past_of.at[i] * sizeof *cut.at);
        hd_past_close(&s->past, &cut, step);
        memcpy(end, step, threads * sizeof *step);
        end += threads;
    }
    *n = s->n_pasts;
    *n_threads = threads;
    return to;
}

void hd_corpus_learn(struct hd_corpus *c, u32 slot)
{
    hd_habit_learn(&c->habit, c->slot[slot].seen.at, c->slot[slot].seen.n);
}

/* Of an event: where, from where, and how it went. */
static u64 key_of(const struct hd_event *ev)
{
    enum hd_evclass class = hd_event_class(ev->kind);
    bool has_outcome = class == HD_CLASS_ACQ || class == HD_CLASS_WAITS || class == HD_CLASS_WAKES;
    bool has_failed = has_outcome ? ev->arg : class == HD_CLASS_RMW && ev->arg & HD_MO_FAILED;
    return mix(ev->site, (u64)ev->ctx << 8 | ev->kind) + has_failed;
}

static bool is_counted(u32 n) { return hd_corpus_is_counted(n); }

/* Number of the site in its thread, from 0; SITES = there are too many. */
static u32 local_of(struct thread *t, u64 key)
{
    for (u32 i = 0; i < t->n; i++)
        if (t->key[i] == key)
            return i;
    if (t->n == SITES)
        return SITES;
    t->key[t->n] = key;
    return t->n++;
}

/* Streaks that end with an execution of `own`. */
static void count_streaks(struct hd_corpus *c, u32 slot, struct thread *t, u32 own,
                          struct hd_moment *m)
{
    for (u32 r = 0; r < t->n; r++) {
        if (r == own || !t->has[r])
            continue;
        u32 n = ++t->since[r][own];
        if (n > 1 && is_counted(n))
            hd_corpus_met(c, slot, HD_FEATURE_STREAK, mix(mix(t->key[r], t->key[own]), n), m);
    }
    memset(t->since[own], 0, t->n * sizeof t->since[own][0]);
    t->has[own] = true;
}

/* Returns the how many-th execution it is, 0 = not known. */
static u32 count(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key)
{
    const struct hd_event *ev = m->ev;
    struct hd_corpus_slot *s = &c->slot[slot];
    if (ev->tid >= THREADS)
        return 0;
    s->n_threads = HD_MAX(s->n_threads, ev->tid + 1u);
    struct thread *t = &s->thread[ev->tid];
    hd_corpus_met(c, slot, HD_FEATURE_SITE, key, m);
    u64 prev = t->prev;
    t->prev = key;
    hd_corpus_met(c, slot, HD_FEATURE_BRANCH, mix(prev, key), m);
    u32 own = s->n_events > COUNTED ? SITES : local_of(t, key);
    if (own == SITES)
        return 0;
    u32 nth = ++t->count[own];
    if (is_counted(nth) && nth > 1)
        hd_corpus_met(c, slot, HD_FEATURE_STREAK, mix(key, nth), m);
    count_streaks(c, slot, t, own, m);
    if (ev->kind == HD_EV_BARRIER_LEAVE) { /* a landmark */
        u32 n = t->n;
        memset(t->count, 0, n * sizeof t->count[0]);
        memset(t->has, 0, sizeof t->has);
        memset(t->since, 0, sizeof t->since);
    }
    return nth;
}

/* Who wrote, or released, what is read, overwritten or taken now. `value`: of memory, 0 = not known. */
static void meet(struct hd_corpus *c, u32 slot, struct hd_moment *m, u64 key, u32 nth, u32 value,
                 bool takes, bool gives)
{
    const struct hd_event *ev = m->ev;
    struct hd_corpus_slot *s = &c->slot[slot];
    u64 *at = hd_map_ref(&s->by_obj, ev->obj, s->last.n);
    if (*at == s->last.n)
        *hd_vec_add(&s->last) = (struct last){.tid = HD_NO_THREAD};
    struct last *l = &s->last.at[*at];
    if (l->tid != ev->tid) {
        hd_corpus_met(c, slot, HD_FEATURE_BRANCH, mix(mix(l->key, 3), key), m);
        if (takes && nth && l->nth && is_counted(nth) && is_counted(l->nth))
            hd_corpus_met(c, slot, HD_FEATURE_PASS,
                          mix(mix(l->key, l->nth), mix(key, nth)), m);
    }
    if (takes)
        hd_corpus_returns(c, slot, m, key, l->changes, value);
    if (gives) {
        *l = (struct last){key, nth, ev->tid, l->changes + 1};
        hd_corpus_leaves(c, slot, ev, l->changes);
    }
}

/* ... together with each of the words that changed last. */
static void meet_words(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 own, u64 key)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    u32 next = own;
    for (u32 i = 0; i < RECENT; i++) {
        u32 k = s->recent[i];
        if (!k || k == own)
            continue;
        const struct word *w = &s->word.at[k - 1];
        struct hd_moment m = moment_of(&s->past, ev, s->word.at[own - 1].row, w->row);
        hd_corpus_met(c, slot, HD_FEATURE_PAIR, key + mix(w->obj, w->value), &m);
    }
    for (u32 i = 0; i < RECENT; i++) { /* to the front */
        u32 k = s->recent[i];
        s->recent[i] = next;
        next = k;
        if (k == own)
            break;
    }
}

/* The word at obj is known to be `value` after ev, which is that event of the run. */
static void know(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 row, u32 value)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    u64 *at = hd_map_ref(&s->by_word, ev->obj, s->word.n);
    if (*at == s->word.n)
        *hd_vec_add(&s->word) = (struct word){.obj = ev->obj};
    struct word *w = &s->word.at[*at];
    if (w->value == value)
        return;
    bool is_first = !w->value;
    if (!is_first)
        s->state ^= mix(ev->obj, w->value);
    s->state ^= mix(ev->obj, value);
    w->value = value;
    w->feature = 0;
    if (is_first)
        return;
    w->row = row;
    u64 key = mix(ev->obj, value);
    struct hd_moment m = moment_of(&s->past, ev, row, 0);
    w->feature = hd_corpus_met(c, slot, HD_FEATURE_WORD, key, &m);
    meet_words(c, slot, ev, (u32)*at + 1, key);
    m.past = 0; /* another moment: all words */
    for (size_t i = 0; i < HD_MIN(s->word.n, (size_t)JOINED); i++)
        hd_past_join(&s->past, &m.cut, s->word.at[i].row);
    m.has_past &= s->word.n <= JOINED;
    m.steps = m.has_past ? hd_past_steps(&s->past, &m.cut) : ev->step;
    u32 state = hd_corpus_met(c, slot, HD_FEATURE_STATE, s->state, &m);
    for (size_t i = 0; i < HD_MIN(s->word.n, (size_t)JOINED) && state; i++) {
        struct hd_feature *f = &c->feature.at[state];
        u32 of = s->word.at[i].feature;
        if (of && (!f->with || c->feature.at[of].runs < c->feature.at[f->with].runs))
            f->with = of;
    }
}

void hd_corpus_final(struct hd_corpus *c, u32 slot)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    struct hd_event ev = s->last_step;
    if (!ev.step || s->word.n > FINALS)
        return;
    for (size_t i = 0; i < s->word.n; i++) {
        const struct word *w = &s->word.at[i];
        if (!w->row) /* it never changed */
            continue;
        ev.obj = w->obj;
        struct hd_moment m = {.ev = &ev, .steps = ev.step};
        hd_corpus_met(c, slot, HD_FEATURE_FINAL, mix(w->obj, w->value), &m);
        for (size_t k = 0; k < i; k++)
            if (s->word.at[k].row)
                hd_corpus_met(c, slot, HD_FEATURE_FINAL,
                              mix(w->obj, w->value) + mix(s->word.at[k].obj, s->word.at[k].value), &m);
    }
}

/* For habits. */
static void note(struct hd_corpus_slot *s, const struct hd_event *ev, u32 value, u32 left)
{
    if (left && s->seen.n)
        hd_vec_last(&s->seen)->left = left;
    if (s->seen.n <= HD_HABIT_EVENTS && ev->step)
        *hd_vec_add(&s->seen) = (struct hd_habit_seen){*ev, value, 0};
}

void hd_corpus_event(struct hd_corpus *c, u32 slot, const struct hd_event *ev, u32 value, u32 left)
{
    struct hd_corpus_slot *s = &c->slot[slot];
    enum hd_evclass class = hd_event_class(ev->kind);
    if (!c->promise)
        note(s, ev, value, left);
    bool is_plain = ev->kind == HD_EV_READ || ev->kind == HD_EV_WRITE;
    if (ev->step)
        s->last_step = *ev;
    if (++s->n_events > EVENTS || (s->n_events > COUNTED && is_plain) || class == HD_CLASS_LOCAL)
        return;
    if (left && s->access.kind != HD_EV_COUNT)
        know(c, slot, &s->access, s->access_row, left);
    s->access.kind = HD_EV_COUNT;
    u32 row = hd_past_event(&s->past, ev);
    if (value) {
        know(c, slot, ev, row, value);
        s->access = *ev;
        s->access_row = row;
    }
    struct hd_moment m = moment_of(&s->past, ev, row, 0);
    u64 key = key_of(ev);
    u32 nth = count(c, slot, &m, key);
    bool is_read = class == HD_CLASS_READ, is_write = class == HD_CLASS_WRITE;
    bool is_update = class == HD_CLASS_RMW;
    if (value && !is_write) {
        hd_corpus_met(c, slot, HD_FEATURE_VALUE, mix(mix(key, value), ev->tid), &m);
        hd_corpus_knows(c, slot, &m, key, nth, value);
    }
    bool gives = !is_read && !(is_update && ev->arg & HD_MO_FAILED);
    if (is_read || is_write || is_update)
        meet(c, slot, &m, key, nth, value, !is_write, gives);
    else if (class == HD_CLASS_ACQ || class == HD_CLASS_REL)
        meet(c, slot, &m, key, nth, 0, class == HD_CLASS_ACQ, class == HD_CLASS_REL);
}
