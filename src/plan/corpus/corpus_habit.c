/* corpus_habit.c: see corpus_habit.h. */
#include "plan/corpus/corpus_habit.h"

#include "event/effect.h"

#include <stdlib.h>

#define ANSWERS (1u << 20) /* then none is added */
#define NUMBERS 4096       /* values from -NUMBERS / 16 to this one are known as numbers */
#define SURE 8             /* an answer that was right so often and never wrong is taken at once */
#define VOTES 64           /* events that tell whether an access is a step of its own */
#define HARD 2000          /* a question at a site is hard where one answer in so many was wrong */
#define ODD 0x9e3779b97f4a7c15ull

/* Views of what a thread knows. Each has a hash of what is seen in it; relative ones answer with a
 * distance from a number that was read. */
enum view {
    PLAIN,                       /* the last action only */
    LAST1, LAST2, LAST3, LAST4, LAST6, LAST8, /* ... and so many reads */
    NTH, NTH1, NTH2, NTH4,       /* ... and its how many-th execution, and so many reads */
    HISTORY,                     /* all */
    OWN, OWN_LAST1, OWN_LAST2, OWN_NTH, OWN_NTH1, OWN_NTH2, /* ... and the thread */
    APART1, APART2, APART3,      /* how far the last number is from the one before it, ... */
    APART12, APART123, APART23,
    BEFORE12, BEFORE13, BEFORE23, /* ... how far those before it are apart from one another; */
    BOTH01_23, BOTH02_13, BOTH03_12, /* ... two such distances */
    SUM1, SUM2, SUM12,           /* ... the sum of the last number and the one before it, ... */
    NTH_APART1, NTH_APART2, NTH_SUM1, /* ... in which pass */
    PATH1, PATH2, PATH4,         /* the actions before it; */
    PATH1_LAST1, PATH1_LAST2, PATH2_LAST2, PATH1_NTH, /* ... and reads */
    FROM_NTH,                    /* ... from the number of passes */
    FROM0, FROM1, FROM2,         /* relative: PLAIN, the answer is counted from that number */
    OTHER,                       /* the last value read at another site, for each of them; */
    TIMES = OTHER + HD_HABIT_OTHERS, /* ... how often the thread was there; */
    AWAY = TIMES + HD_HABIT_OTHERS,  /* ... how far its last value is from the last one read */
    VIEWS = AWAY + HD_HABIT_OTHERS
};
_Static_assert(VIEWS == HD_HABIT_VIEWS, "");

static u64 mix(u64 a, u64 b)
{
    u64 h = (a ^ b * ODD) * 0xbf58476d1ce4e5b9ull;
    return h ^ h >> 31;
}

/* As the target hashes values (runtime/hook/detail.c). */
static u32 hash_of(u64 value)
{
    u32 hash = (u32)((value + 1) * ODD >> (32 + HD_ARG_BITS)) + 1;
    return hash & ((1u << (32 - HD_ARG_BITS)) - 1);
}

s32 hd_habit_number(const struct hd_habit *m, u32 value)
{
    return (s32)(s64)hd_map_get_or(&m->by_number, value, (u64)HD_HABIT_NO_NUMBER);
}

void hd_habit_init(struct hd_habit *m)
{
    memset(m, 0, sizeof *m);
    m->trust = calloc(HD_HABIT_PLACES, sizeof *m->trust);
    m->order = calloc(HD_HABIT_PLACES, sizeof *m->order);
    m->ordered = calloc(HD_HABIT_PLACES, sizeof *m->ordered);
    HD_ASSERT(m->trust && m->order && m->ordered);
    *hd_vec_add(&m->action) = (struct hd_habit_action){0};
    for (s32 i = -NUMBERS / 16; i < NUMBERS; i++)
        hd_map_put(&m->by_number, hash_of((u32)i), (u64)(s64)i);
}

void hd_habit_release(struct hd_habit *m)
{
    hd_vec_release(&m->action);
    hd_map_release(&m->by_action);
    hd_map_release(&m->by_place);
    hd_map_release(&m->by_number);
    hd_map_release(&m->answer);
    hd_map_release(&m->initial);
    hd_map_release(&m->parties);
    hd_map_release(&m->met);
    free(m->trust);
    free(m->order);
    free(m->ordered);
}

/* ---- what a thread knows ------------------------------------------------------------------ */

void hd_habit_thread_init(struct hd_habit_thread *t, u16 tid)
{
    memset(t, 0, sizeof *t);
    t->tid = tid;
    t->history = mix(tid, 7);
    for (u32 i = 0; i < HD_HABIT_NEAR; i++)
        t->number[i] = HD_HABIT_NO_NUMBER;
}

static bool is_read(const struct hd_habit_action *a)
{
    enum hd_evclass class = hd_event_class(a->kind);
    return class == HD_CLASS_READ || class == HD_CLASS_RMW || a->kind == HD_EV_TRYLOCK ||
           a->kind == HD_EV_TRYRDLOCK || a->kind == HD_EV_TRYWRLOCK ||
           (a->kind == HD_EV_WRITE && a->arg & HD_ARG_OWN);
}

void hd_habit_do(const struct hd_habit *m, struct hd_habit_thread *t, u32 action, u32 value)
{
    const struct hd_habit_action *a = &m->action.at[action];
    memmove(&t->before[1], &t->before[0], (HD_HABIT_PATH - 1) * sizeof t->before[0]);
    t->before[0] = t->action;
    t->action = action;
    t->has_failed = hd_event_class(a->kind) == HD_CLASS_ACQ && value;
    t->nth = ++t->count[HD_MIN(a->place, HD_HABIT_SITES - 1u)];
    t->history = mix(t->history, action);
    if (!is_read(a))
        return;
    memmove(&t->read[1], &t->read[0], (HD_HABIT_READS - 1) * sizeof t->read[0]);
    memmove(&t->value[1], &t->value[0], (HD_HABIT_NEAR - 1) * sizeof t->value[0]);
    memmove(&t->number[1], &t->number[0], (HD_HABIT_NEAR - 1) * sizeof t->number[0]);
    t->read[0] = mix(a->place, value);
    t->value[0] = value;
    t->number[0] = hd_habit_number(m, value);
    t->history = mix(t->history, value);
    if (a->place < HD_HABIT_OTHERS) {
        t->last[a->place] = value;
        t->last_number[a->place] = t->number[0];
    }
}

void hd_habit_failed(const struct hd_habit *m, struct hd_habit_thread *t)
{
    u32 place = HD_MIN(m->action.at[t->action].place, HD_HABIT_SITES - 1u);
    t->count[place]--;
    t->nth = ++t->failed[place];
    t->has_failed = true;
    t->read[0] = ~t->read[0];
    t->history = mix(t->history, 1);
}

/* ---- questions and answers ---------------------------------------------------------------- */

static u32 place_of(const struct hd_habit *m, u32 action)
{
    return HD_MIN(m->action.at[action].place, HD_HABIT_PLACES - 1u);
}

/* How far apart two of the last values are; of those that are no small numbers: whether they are the same. */
static u64 apart(const struct hd_habit_thread *t, u32 i, u32 k)
{
    if (t->number[i] == HD_HABIT_NO_NUMBER || t->number[k] == HD_HABIT_NO_NUMBER)
        return (u64)(t->value[i] == t->value[k]) << 32;
    return (u64)(s64)(t->number[i] - t->number[k]);
}

/* The sum of the last number and of that one; HD_HABIT_NO_NUMBER: it is not known. */
static u64 sum(const struct hd_habit_thread *t, u32 k)
{
    if (t->number[0] == HD_HABIT_NO_NUMBER || t->number[k] == HD_HABIT_NO_NUMBER)
        return (u64)(s64)HD_HABIT_NO_NUMBER;
    return (u64)(s64)(t->number[0] + t->number[k]);
}

/* What all views are made of. */
struct sight {
    const struct hd_habit_thread *of;
    u32 question;
    u64 last[HD_HABIT_READS + 1]; /* the action, and so many reads; */
    u64 nth, own, path1, path2;
    bool is_hard;                 /* the rest is wrong too often: other sites are looked at as well */
};

static void look(const struct hd_habit *m, const struct hd_habit_thread *t, u32 question, struct sight *s)
{
    u32 place = place_of(m, t->action);
    s->of = t;
    s->question = question;
    s->is_hard = m->wrong[question][place] * HARD > m->asked[question][place];
    s->last[0] = mix((u64)t->action << 2 | question, 1 + t->has_failed);
    for (u32 i = 0; i < HD_HABIT_READS; i++)
        s->last[i + 1] = mix(s->last[i], t->read[i]);
    s->nth = mix(t->nth, 3);
    s->own = mix(t->tid, 5);
    s->path1 = mix(s->last[0], t->before[0]);
    s->path2 = mix(s->path1, t->before[1]);
}

static u64 apart_in(const struct sight *s, u64 seed, u32 k) { return mix(seed, mix(apart(s->of, 0, k), 10 + k)); }

static u64 pair_in(const struct sight *s, u64 seed, u32 i, u32 k)
{
    return mix(seed, mix(apart(s->of, i, k), 30 + 4 * i + k));
}

/* How far the last value of that place is from the last one read. */
static u64 away(const struct hd_habit_thread *t, u32 other)
{
    if (t->number[0] == HD_HABIT_NO_NUMBER || t->last_number[other] == HD_HABIT_NO_NUMBER)
        return (u64)(t->value[0] == t->last[other]) << 32;
    return (u64)(s64)(t->number[0] - t->last_number[other]);
}

/* A hash of what is seen in that view. */
static u64 seen_in(const struct sight *s, u32 view)
{
    const struct hd_habit_thread *t = s->of;
    u64 base = s->last[0];
    switch ((enum view)view) {
    case PLAIN: return base;
    case LAST1: return s->last[1];
    case LAST2: return s->last[2];
    case LAST3: return s->last[3];
    case LAST4: return s->last[4];
    case LAST6: return s->last[6];
    case LAST8: return s->last[8];
    case NTH: return mix(base, s->nth);
    case NTH1: return mix(s->last[1], s->nth);
    case NTH2: return mix(s->last[2], s->nth);
    case NTH4: return mix(s->last[4], s->nth);
    case HISTORY: return mix(base, t->history);
    case OWN: return mix(base, s->own);
    case OWN_LAST1: return mix(s->last[1], s->own);
    case OWN_LAST2: return mix(s->last[2], s->own);
    case OWN_NTH: return mix(mix(base, s->nth), s->own);
    case OWN_NTH1: return mix(mix(s->last[1], s->nth), s->own);
    case OWN_NTH2: return mix(mix(s->last[2], s->nth), s->own);
    case APART1:
    case APART2:
    case APART3: return apart_in(s, base, 1 + view - APART1);
    case APART12: return apart_in(s, apart_in(s, base, 1), 2);
    case APART123: return apart_in(s, apart_in(s, apart_in(s, base, 1), 2), 3);
    case APART23: return apart_in(s, apart_in(s, base, 2), 3);
    case BEFORE12: return pair_in(s, base, 1, 2);
    case BEFORE13: return pair_in(s, base, 1, 3);
    case BEFORE23: return pair_in(s, base, 2, 3);
    case BOTH01_23: return pair_in(s, pair_in(s, base, 0, 1), 2, 3);
    case BOTH02_13: return pair_in(s, pair_in(s, base, 0, 2), 1, 3);
    case BOTH03_12: return pair_in(s, pair_in(s, base, 0, 3), 1, 2);
    case SUM1:
    case SUM2: return mix(base, mix(sum(t, 1 + view - SUM1), 50 + view));
    case SUM12: return mix(mix(base, mix(sum(t, 1), 53)), (u64)(s64)t->number[2]);
    case NTH_APART1:
    case NTH_APART2: return apart_in(s, mix(base, s->nth), 1 + view - NTH_APART1);
    case NTH_SUM1: return mix(mix(base, s->nth), mix(sum(t, 1), 54));
    case FROM_NTH: return mix(base, mix((u64)((s64)t->number[0] - t->nth), 14));
    case PATH1: return s->path1;
    case PATH2: return s->path2;
    case PATH4: return mix(mix(s->path2, t->before[2]), t->before[3]);
    case PATH1_LAST1: return mix(s->path1, s->last[1]);
    case PATH1_LAST2: return mix(s->path1, s->last[2]);
    case PATH2_LAST2: return mix(s->path2, s->last[2]);
    case PATH1_NTH: return mix(s->path1, s->nth);
    case FROM0:
    case FROM1:
    case FROM2: return mix(base, 15 + view - FROM0);
    default:
        return mix(base, view < TIMES  ? t->last[view - OTHER]
                         : view < AWAY ? t->count[view - TIMES]
                                       : away(t, view - AWAY));
    }
}

static u64 key_in(const struct sight *s, u32 view) { return mix(seen_in(s, view), view); }

/* An answer in the map: what came of it, how often, and how often something else. */
struct answer {
    u32 is;
    u16 right, wrong;
};
static struct answer unpack(u64 v) { return (struct answer){(u32)v, (u16)(v >> 32), (u16)(v >> 48)}; }
static u64 pack(struct answer a) { return a.is | (u64)a.right << 32 | (u64)a.wrong << 48; }

static void count(struct answer *a, u32 is)
{
    u16 *n = a->is == is ? &a->right : &a->wrong;
    ++*n;
    if (a->wrong > a->right) {
        u16 right = a->right;
        *a = (struct answer){is, a->wrong, right};
    }
    if (a->right >= 0xfff0) {
        a->right /= 2;
        a->wrong /= 2;
    }
}

static bool is_relative(u32 view) { return view >= FROM0 && view < OTHER; }

static bool is_relation(u32 view) { return view >= AWAY || (view >= BEFORE12 && view <= NTH_SUM1); }

/* Has that view anything to say? */
static bool is_apt(const struct sight *s, u32 view)
{
    if (view >= AWAY)
        return s->is_hard && s->of->last[view - AWAY];
    if (view >= TIMES)
        return s->is_hard && s->of->count[view - TIMES];
    if (view >= OTHER)
        return s->is_hard && s->of->last[view - OTHER];
    return !is_relative(view) || s->question == HD_HABIT_LEFT;
}

/* `is` as that view has it; false: it cannot. */
static bool seen_as(const struct hd_habit *m, const struct hd_habit_thread *t, u32 view, u32 is, u32 *out)
{
    *out = is;
    if (!is_relative(view))
        return true;
    s32 from = t->number[view - FROM0], to = hd_habit_number(m, is);
    *out = (u32)to - (u32)from;
    return from != HD_HABIT_NO_NUMBER && to != HD_HABIT_NO_NUMBER;
}

static double faith(const struct hd_habit_trust *t) { return (t->right + 1.0) / (t->right + t->wrong + 2.0); }

/* Views of that place, the most trusted first. */
static const u8 *order_of(struct hd_habit *m, u32 place, u32 question)
{
    u8 *order = m->order[place][question];
    if (m->ordered[place][question] == m->runs + 1)
        return order;
    const struct hd_habit_trust *trust = m->trust[place][question];
    double by[VIEWS];
    for (u32 v = 0; v < VIEWS; v++) {
        double f = faith(&trust[v]);
        u32 i = v;
        for (; i && by[i - 1] < f; i--) {
            by[i] = by[i - 1];
            order[i] = order[i - 1];
        }
        by[i] = f;
        order[i] = (u8)v;
    }
    m->ordered[place][question] = m->runs + 1;
    return order;
}

/* The answer of the view that is trusted most, and how sure it is. False: there is none. */
static bool ask(struct hd_habit *m, const struct sight *s, u32 *out, double *sure)
{
    u32 place = place_of(m, s->of->action);
    const struct hd_habit_trust *trust = m->trust[place][s->question];
    const u8 *order = order_of(m, place, s->question);
    double best = 0;
    for (u32 i = 0; i < VIEWS; i++) {
        u32 v = order[i];
        double f = faith(&trust[v]);
        if (f <= best)
            break;
        bool is_asked = is_apt(s, v) && !(m->is_simple && is_relation(v));
        m->looks += is_asked;
        const u64 *at = is_asked ? hd_map_get(&m->answer, key_in(s, v)) : NULL;
        if (!at)
            continue;
        struct answer a = unpack(*at);
        double w = f * (a.right + 0.5) / (a.right + a.wrong + 1.0);
        if (w <= best)
            continue;
        if (is_relative(v)) {
            s32 from = s->of->number[v - FROM0];
            if (from == HD_HABIT_NO_NUMBER)
                continue;
            a.is = hash_of((u32)from + a.is);
        }
        best = w;
        *out = a.is;
        *sure = (a.right + 2 * f) / (a.right + a.wrong + 2);
        if (a.right >= SURE && !a.wrong) {
            *sure = 1;
            break;
        }
    }
    return best > 0;
}

/* What came of it. New views are remembered only where the known ones were wrong. */
static void teach(struct hd_habit *m, const struct hd_habit_thread *t, u32 question, u32 is)
{
    struct sight s;
    double sure;
    u32 guess = 0, place = place_of(m, t->action);
    struct hd_habit_trust *trust = m->trust[place][question];
    look(m, t, question, &s);
    bool is_right = ask(m, &s, &guess, &sure) && guess == is;
    m->wrong[question][place] += !is_right;
    if (++m->asked[question][place] > 4 * HARD) {
        m->wrong[question][place] /= 2;
        m->asked[question][place] /= 2;
    }
    for (u32 v = 0; v < (s.is_hard ? VIEWS : OTHER); v++) {
        u32 as;
        if (!is_apt(&s, v) || !seen_as(m, t, v, is, &as))
            continue;
        u64 key = key_in(&s, v), *at = hd_map_get(&m->answer, key);
        if (at) {
            struct answer a = unpack(*at);
            ++*(a.is == as ? &trust[v].right : &trust[v].wrong);
            count(&a, as);
            *at = pack(a);
        } else if (!is_right && m->answer.n < ANSWERS) {
            hd_map_put(&m->answer, key, pack((struct answer){as, 1, 0}));
        }
    }
}

static u32 answer_to(struct hd_habit *m, const struct hd_habit_thread *t, u32 question)
{
    struct sight s;
    double sure;
    u32 is = 0;
    look(m, t, question, &s);
    if (!ask(m, &s, &is, &sure))
        return 0;
    m->sure *= sure;
    return is;
}

u32 hd_habit_next(struct hd_habit *m, const struct hd_habit_thread *t) { return answer_to(m, t, HD_HABIT_NEXT); }
bool hd_habit_fails(struct hd_habit *m, const struct hd_habit_thread *t) { return answer_to(m, t, HD_HABIT_FAILS); }
u32 hd_habit_left(struct hd_habit *m, const struct hd_habit_thread *t) { return answer_to(m, t, HD_HABIT_LEFT); }

/* ---- learning ----------------------------------------------------------------------------- */

static u32 number_in(struct hd_map *map, u64 key, u32 next) { return (u32)*hd_map_ref(map, key, next); }

static u32 action_of(struct hd_habit *m, const struct hd_event *ev, bool is_same_step)
{
    enum hd_evclass class = hd_event_class(ev->kind);
    bool has_outcome = class == HD_CLASS_ACQ || class == HD_CLASS_WAITS || class == HD_CLASS_WAKES ||
                       ev->kind == HD_EV_JOIN;
    struct hd_habit_action a = {.site = ev->site, .obj = ev->obj, .ctx = ev->ctx,
                                .arg = has_outcome ? 0 : ev->arg, .kind = ev->kind, .size = ev->size};
    if (class == HD_CLASS_RMW)
        a.arg &= ~(u32)HD_MO_FAILED;
    a.place = number_in(&m->by_place, mix(mix(a.site, a.ctx), a.kind), m->n_places);
    m->n_places += a.place == m->n_places;
    u64 key = mix(mix(mix(a.place, a.obj), a.arg), a.size);
    u32 at = number_in(&m->by_action, key, (u32)m->action.n);
    if (at == m->action.n)
        *hd_vec_add(&m->action) = a;
    /* Which accesses are points depends on what the run is for: most of them count, lately. */
    s32 *in_favour = &m->action.at[at].in_favour;
    *in_favour = is_same_step ? HD_MIN(*in_favour + 1, VOTES) : HD_MAX(*in_favour - 1, -VOTES);
    m->action.at[at].is_same_step = *in_favour > 0;
    return at;
}

/* The first thread that leaves a barrier tells how many come together there. */
static void learn_barrier(struct hd_habit *m, const struct hd_event *ev)
{
    u64 *n = hd_map_ref(&m->met, ev->obj ^ ODD, 0);
    if (ev->kind == HD_EV_BARRIER_WAIT)
        ++*n;
    else if (ev->kind == HD_EV_BARRIER_LEAVE && !hd_map_has(&m->parties, ev->obj))
        hd_map_put(&m->parties, ev->obj, *n);
}

static void learn_event(struct hd_habit *m, const struct hd_habit_seen *s)
{
    const struct hd_event *ev = &s->ev;
    struct hd_habit_thread *t = &m->thread[ev->tid];
    u32 action = action_of(m, ev, t->step == ev->step);
    enum hd_evclass class = hd_event_class(ev->kind);
    bool has_failed = class == HD_CLASS_RMW && ev->arg & HD_MO_FAILED;
    t->step = ev->step;
    teach(m, t, HD_HABIT_NEXT, action);
    if (class == HD_CLASS_READ || class == HD_CLASS_RMW || class == HD_CLASS_WRITE)
        if (s->value && !(*hd_map_ref(&m->met, ev->obj, 0))++)
            hd_map_put(&m->initial, ev->obj, s->value);
    learn_barrier(m, ev);
    hd_habit_do(m, t, action, class == HD_CLASS_ACQ ? ev->arg != 0 : s->value);
    if (class == HD_CLASS_RMW) {
        teach(m, t, HD_HABIT_FAILS, has_failed);
        if (has_failed)
            hd_habit_failed(m, t);
    }
    if ((class == HD_CLASS_RMW || class == HD_CLASS_WRITE) && !has_failed && s->left)
        teach(m, t, HD_HABIT_LEFT, s->left);
}

void hd_habit_learn(struct hd_habit *m, const struct hd_habit_seen *seen, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (seen[i].ev.tid >= HD_HABIT_THREADS || seen[i].ev.kind == HD_EV_GAP)
            return;
    if (n > HD_HABIT_EVENTS || !n)
        return;
    for (u16 t = 0; t < HD_HABIT_THREADS; t++)
        hd_habit_thread_init(&m->thread[t], t);
    hd_map_clear(&m->met);
    for (size_t i = 0; i < n; i++)
        learn_event(m, &seen[i]);
    m->runs++;
    m->length = HD_MAX(m->length, seen[n - 1].ev.step);
}
