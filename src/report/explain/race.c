/* race.c: a race in words: the two accesses, what stands between them, what comes of it. The
 * accesses are events of the finding's run; their callers come from its replay. */
#include "report/explain/race.h"
#include "observe/race/race_object.h"

#include <stdlib.h>
#include <string.h>

#define NAME 320

bool hd_race_is(const struct hd_finding *f)
{
    return f->race.class > HD_RACE_FAILS;
}

const char *hd_race_class_text(u32 class)
{
    static const char *const text[] = {"", "fails in one order", "changes the result",
                                       "no difference seen", "memory order only", "fails in one order"};
    return class < HD_COUNT(text) ? text[class] : "";
}

const char *hd_race_class_word(u32 class)
{
    static const char *const word[] = {"none", "fails", "changes", "same", "memory-order", "fails"};
    return class < HD_COUNT(word) ? word[class] : "none";
}

const char *hd_memory_order_text(u8 order)
{
    static const char *const text[] = {"seq_cst", "relaxed", "consume", "acquire", "release",
                                       "acq_rel", "not atomic"};
    return order < HD_COUNT(text) ? text[order] : "?";
}

static bool is_object(const struct hd_event *e) { return hd_race_is_use(e) || hd_race_is_end(e); }

u32 hd_race_accesses(const struct hd_race *r) { return r->step[3] ? 4 : r->step[2] ? 3 : 2; }

u32 hd_race_find(const struct hd_finding *f, u32 which)
{
    for (u32 i = 0; i < f->n_events; i++)
        if (f->events[i].step == f->race.step[which] &&
            (hd_space_of(f->events[i].kind) == HD_SPACE_MEMORY || is_object(&f->events[i])))
            return i;
    return ~0u;
}

static bool find_both(const struct hd_finding *f, u32 e[2])
{
    for (u32 k = 0; k < 2; k++)
        if ((e[k] = hd_race_find(f, k)) == ~0u)
            return false;
    return true;
}

/* ---- sentences ----------------------------------------------------------------------- */

static void variable(struct hd_model *st, const u32 e[2], char *buf, size_t size)
{
    const struct hd_event *a = &st->f->events[e[0]], *b = &st->f->events[e[1]];
    if (is_object(a))
        hd_name_quoted(st, a->kind, HD_MAX(a->obj, b->obj), buf, size);
    else
        hd_name_typed(st, a->kind, HD_MAX(a->obj, b->obj), buf, size);
}

bool hd_race_is_vptr(struct hd_model *st)
{
    for (u32 k = 0; k < 2; k++) {
        char value[400];
        u32 i = hd_race_find(st->f, k);
        if (i != ~0u && st->f->events[i].size == sizeof(void *) && hd_value_text(st, i, i, value, sizeof value) &&
            strstr(value, "vtable of "))
            return true;
    }
    return false;
}

static const char *verb(const struct hd_finding *f, u32 i)
{
    const struct hd_event *e = &f->events[i];
    u32 effects = hd_effects(e);
    bool is_atomic = effects & HD_ATOMIC;
    if (hd_model_is_free(f, i))
        return "frees it";
    if (is_object(e))
        return hd_race_is_end(e) ? e->kind == HD_EV_IO ? "closes it" : "destroys it"
               : effects & HD_TAKES ? "locks it"
               : effects & HD_GIVES ? "unlocks it"
                                    : "uses it";
    if (!(effects & HD_WRITES))
        return is_atomic ? "reads it atomically" : "reads it";
    if (effects & HD_READS)
        return "updates it atomically";
    return is_atomic ? "writes it atomically" : "writes it";
}

static const char *passive(const struct hd_finding *f, u32 i)
{
    const struct hd_event *e = &f->events[i];
    u32 effects = hd_effects(e);
    bool is_atomic = effects & HD_ATOMIC;
    if (hd_model_is_free(f, i))
        return "is freed";
    if (hd_race_is_end(e))
        return e->kind == HD_EV_IO ? "is closed" : "is destroyed";
    if (!(effects & HD_WRITES))
        return is_atomic ? "is read (atomically)" : "is read";
    if (effects & HD_READS)
        return "is updated (atomically)";
    return is_atomic ? "is written (atomically)" : "is written";
}

/* "cache.c:88 in cache_put()" */
void hd_race_place(struct hd_model *st, u32 i, char *buf, size_t size)
{
    struct hd_srcloc l;
    char place[NAME], function[160];
    hd_model_place(st, &st->f->events[i], i, &l);
    hd_name_place(st, &l, false, place, sizeof place);
    if (l.function) {
        hd_name_function(l.function, 60, function, sizeof function);
        snprintf(buf, size, "%s in %s()", place, function);
    } else {
        snprintf(buf, size, "%s", place);
    }
}

/* "Read first", "T1 first": which of the two orders. */
static void order_words(const struct hd_finding *f, const u32 e[2], u32 which, char *buf, size_t n)
{
    bool w0 = hd_effects(&f->events[e[0]]) & HD_WRITES, w1 = hd_effects(&f->events[e[1]]) & HD_WRITES;
    const struct hd_event *is = &f->events[e[which]];
    if (is_object(is))
        snprintf(buf, n, "%s first", !hd_race_is_end(is) ? "Used" : is->kind == HD_EV_IO ? "Closed" : "Destroyed");
    else if (w0 != w1)
        snprintf(buf, n, "%s first", hd_model_is_free(f, e[which]) ? "Freed" : (which ? w1 : w0) ? "Written" : "Read");
    else
        snprintf(buf, n, "T%u first", f->events[e[which]].tid);
}

static void write_results(struct hd_model *st, FILE *to, const u32 e[2])
{
    const struct hd_race *r = &st->f->race;
    char words[2][48];
    if (r->class == HD_RACE_SAME && r->failure[0])
        fprintf(to, ". Runs that had both lead to %s; which of the two comes first does not decide that", r->failure);
    else if (r->class == HD_RACE_SAME && r->of[0])
        fprintf(to, ". %u runs of each order had the same exit status and output; by the language the "
                "behaviour is undefined all the same", r->of[0]);
    if (r->class == HD_RACE_LEADS && r->failure[0])
        fprintf(to, ". In one order it leads to %s", r->failure);
    if ((r->class != HD_RACE_CHANGES && r->class != HD_RACE_LEADS) || !r->result[0][0])
        return;
    for (u32 k = 0; k < 2; k++)
        order_words(st->f, e, k, words[k], sizeof words[k]);
    if (r->is_apart) {
        snprintf(words[0], sizeof words[0], "Both at once");
        snprintf(words[1], sizeof words[1], "One after the other");
    }
    if (words[1][0] != 'T')
        words[1][0] = (char)(words[1][0] - 'A' + 'a');
    fprintf(to, ". %s: %s (%u of %u runs); %s: %s (%u of %u)", words[0], r->result[0], r->same[0],
            r->of[0], words[1], r->result[1], r->same[1], r->of[1]);
}

static bool is_weak_store(u8 order) { return order == HD_MO_RELAXED || order == HD_MO_ACQUIRE || order == HD_MO_CONSUME || order == HD_MO_PLAIN; }
static bool is_weak_load(u8 order) { return order == HD_MO_RELAXED || order == HD_MO_RELEASE || order == HD_MO_PLAIN; }

static void write_weak(struct hd_model *st, FILE *to)
{
    const struct hd_race *r = &st->f->race;
    char store[NAME], load[NAME];
    if (!r->store || !r->load)
        return;
    hd_name_site(st, r->store, false, store, sizeof store);
    hd_name_site(st, r->load, false, load, sizeof load);
    if (r->store_order == HD_MO_PLAIN || r->load_order == HD_MO_PLAIN)
        fprintf(to, ". Only the write at %s, seen by the read at %s, keeps them in this order, and these two race "
                "themselves: it needs an atomic, ", store, load);
    else
        fprintf(to, ". Only the atomic at %s (%s), read at %s (%s), keeps them in this order, and that "
                "is not enough: it needs ", store, hd_memory_order_text(r->store_order), load,
                hd_memory_order_text(r->load_order));
    if (is_weak_store(r->store_order))
        fprintf(to, "release at %s%s", store, is_weak_load(r->load_order) ? " and " : "");
    if (is_weak_load(r->load_order))
        fprintf(to, "acquire at %s", load);
    if (!is_weak_store(r->store_order) && !is_weak_load(r->load_order))
        fprintf(to, "a release that heads the value read");
    fprintf(to, ". No sequentially consistent run turns the two round; processors and compilers may");
}

void hd_race_sentence(struct hd_model *st, FILE *to)
{
    const struct hd_finding *f = st->f;
    u32 e[2];
    char var[2 * NAME], who[2][48], place[2][NAME + 200];
    if (f->race.step[2]) {
        hd_atomicity_sentence(st, to);
        return;
    }
    if (!find_both(f, e)) {
        fprintf(to, "Two accesses race");
        return;
    }
    variable(st, e, var, sizeof var);
    if (hd_race_is_vptr(st))
        fprintf(to, "The pointer to the virtual table at ");
    u32 w = hd_effects(&f->events[e[1]]) & HD_WRITES || hd_race_is_end(&f->events[e[1]]) ? 1 : 0; /* what is written comes first */
    for (u32 k = 0; k < 2; k++) {
        hd_name_thread(st, f->events[e[k]].tid, who[k], sizeof who[k]);
        hd_race_place(st, e[k], place[k], sizeof place[k]);
    }
    fprintf(to, "%s %s by %s at %s while %s %s at %s, with nothing that orders them", var,
            passive(f, e[w]), who[w], place[w], who[!w], verb(f, e[!w]), place[!w]);
    write_results(st, to, e);
    if (f->race.class == HD_RACE_WEAK)
        write_weak(st, to);
}

/* ---- evidence ------------------------------------------------------------------------ */

/* Locks of the thread at event i: "`a`, `b`"; false if none is known. */
static bool locks_at(struct hd_model *st, u32 i, char *buf, size_t size, u64 *one)
{
    struct hd_held_set held = {0};
    size_t n = 0;
    for (u32 k = 0; k < i; k++)
        hd_held_step(&held, st->f, k);
    for (size_t k = 0; k < held.v.n && n < size; k++) {
        char name[NAME];
        const struct hd_held *h = &held.v.at[k];
        if (h->tid != st->f->events[i].tid)
            continue;
        hd_name_quoted(st, st->f->events[h->event].kind, h->obj, name, sizeof name);
        n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "", name);
        *one = h->obj;
    }
    hd_held_release(&held);
    return n > 0;
}

static void print_access(FILE *to, struct hd_model *st, const struct hd_paint *p, u32 i)
{
    const struct hd_event *e = &st->f->events[i];
    const struct hd_detail *d = hd_model_detail(st, i);
    u64 frames[HD_DETAIL_CALLERS + 1] = {e->site};
    struct hd_finding_thread t = {.tid = HD_NO_THREAD, .n_frames = 1, .frames = frames};
    struct hd_srcloc l;
    char who[48], value[400], place[NAME], held[600];
    u64 lock;
    for (u32 k = 0; d && k < HD_MIN(d->n_callers, (u32)HD_DETAIL_CALLERS); k++)
        frames[t.n_frames++] = d->caller[k];
    hd_name_thread(st, e->tid, who, sizeof who);
    bool has_value = hd_value_text(st, i, i, value, sizeof value);
    if (is_object(e))
        hd_paint_line(to, p, "%s, %s:", who, e->kind == HD_EV_IO && hd_race_is_end(e) ? "close" : hd_event_text(e->kind));
    else
        hd_paint_line(to, p, "%s, %s of %u byte%s%s%s:", who,
                      hd_model_is_free(st->f, i) ? "free" : hd_event_text(e->kind), hd_event_bytes(e),
                      hd_event_bytes(e) == 1 ? "" : "s", has_value ? ", " : "", has_value ? value : "");
    hd_stacks_frames(to, st, &t, p);
    if (hd_model_created(st, e->tid, &l)) {
        hd_name_place(st, &l, false, place, sizeof place);
        hd_paint_line(to, p, "  %s was created at %s.", who, place);
    }
    if (locks_at(st, i, held, sizeof held, &lock))
        hd_paint_line(to, p, "  It holds %s.", held);
    else
        hd_paint_line(to, p, "  It holds no lock.");
}

/* The last thing by which the first thread could have told the second, and what that one
 * took last. */
static void print_synchronization(FILE *to, struct hd_model *st, const struct hd_paint *p,
                                  const u32 e[2])
{
    const struct hd_finding *f = st->f;
    for (u32 k = 0; k < 2; k++) {
        u16 tid = f->events[e[k]].tid;
        u32 want = k ? HD_ACQUIRES : HD_RELEASES, i = e[k];
        while (i-- > 0)
            if (f->events[i].tid == tid && hd_effects(&f->events[i]) & want)
                break;
        char who[48], what[NAME + 32], place[NAME];
        hd_name_thread(st, tid, who, sizeof who);
        if (i == ~0u) {
            hd_paint_line(to, p, k ? "%s has acquired nothing before." : "%s has released nothing before.", who);
            continue;
        }
        hd_name_action(st, &f->events[i], what, sizeof what);
        hd_name_event(st, i, false, place, sizeof place);
        hd_paint_line(to, p, "Last synchronization of %s before: %s at %s.", who, what, place);
    }
}

/* The second thread had told the first one something, and comes to its access only after that: data
 * written behind the flag that announces it. */
static void print_told_before(FILE *to, struct hd_model *st, const struct hd_paint *p, const u32 e[2])
{
    const struct hd_finding *f = st->f;
    for (u32 i = e[0]; i-- > 0;) {
        if (f->events[i].tid != f->events[e[0]].tid || !(hd_effects(&f->events[i]) & HD_ACQUIRES))
            continue;
        u32 j = i;
        while (j-- > 0)
            if (f->events[j].tid == f->events[e[1]].tid && f->events[j].obj == f->events[i].obj &&
                hd_effects(&f->events[j]) & HD_RELEASES)
                break;
        if (j == ~0u)
            continue;
        char who[2][48], what[2][NAME + 32], place[2][NAME];
        for (u32 k = 0; k < 2; k++) {
            u32 at = k ? j : i;
            hd_name_thread(st, f->events[at].tid, who[k], sizeof who[k]);
            hd_name_action(st, &f->events[at], what[k], sizeof what[k]);
            hd_name_event(st, at, false, place[k], sizeof place[k]);
        }
        hd_paint_line(to, p, "The other way round, %s had told %s (%s at %s, then %s at %s), but its access comes after that.",
                      who[1], who[0], what[1], place[1], what[0], place[0]);
        return;
    }
}

bool hd_race_hint(struct hd_model *st, FILE *to)
{
    u32 e[2];
    char held[2][600], name[NAME], who[48];
    u64 lock[2] = {0, 0};
    const struct hd_finding *f = st->f;
    if (!find_both(f, e) || f->race.class == HD_RACE_WEAK)
        return false;
    bool has[2];
    for (u32 k = 0; k < 2; k++)
        has[k] = locks_at(st, e[k], held[k], sizeof held[k], &lock[k]);
    if (f->race.step[2]) {
        fprintf(to, f->race.step[3] ? "hold the lock of the section at both accesses, from the first to the last"
                                    : "hold one lock from the first access to the last, or check again before the last");
        if (f->race.class == HD_RACE_CHANGES && !hd_atomicity_is_marked(f))
            fprintf(to, ". That the results differ was seen; which of them are right only you know: if all are (a value "
                    "that may be computed twice, say), suppress it");
        return true;
    }
    if (is_object(&f->events[e[0]])) {
        fprintf(to, "let the thread that destroys the object wait until nobody uses it any more: "
                "join the others, or count its users");
        return true;
    }
    if (hd_race_is_vptr(st)) {
        fprintf(to, "it is the pointer to the virtual table, and a constructor or destructor of the object "
                "writes it: let other threads begin after the object is complete, and end before it goes");
        return true;
    }
    if (has[0] != has[1]) {
        u32 with = has[0] ? 0 : 1;
        hd_name_quoted(st, HD_EV_LOCK, lock[with], name, sizeof name);
        hd_name_thread(st, f->events[e[!with]].tid, who, sizeof who);
        fprintf(to, "the other access holds %s: %s should hold it here, too", name, who);
        return true;
    }
    if (hd_effects(&f->events[e[0]]) & HD_ATOMIC || hd_effects(&f->events[e[1]]) & HD_ATOMIC) {
        fprintf(to, "one of the two accesses is atomic, the other is not: make both atomic");
        return true;
    }
    fprintf(to, "let one lock protect both accesses, or make the variable atomic");
    return true;
}

/* Where a variable with a name stands in the source. */
static void print_declared(FILE *to, struct hd_model *st, const struct hd_paint *p, const struct hd_event *e)
{
    struct hd_srcloc l = {0};
    char name[NAME], place[NAME];
    if (is_object(e) || !hd_symbols_data(st->s, e->obj, name, sizeof name, &l) || !l.file ||
        hd_symbols_is_system(l.module))
        return;
    hd_name_place(st, &l, false, place, sizeof place);
    hd_paint_line(to, p, "%s is declared at %s.", name, place);
}

void hd_race_print(FILE *to, struct hd_model *st, const struct hd_paint *p)
{
    u32 e[2];
    char *hint = NULL;
    size_t n;
    if (!find_both(st->f, e))
        return;
    for (u32 k = 0; k < 2; k++)
        print_access(to, st, p, e[k]);
    if (st->f->race.step[2])
        print_declared(to, st, p, &st->f->events[e[1]]);
    for (u32 k = hd_race_accesses(&st->f->race) - 1; k >= 2; k--) { /* the last is the third */
        u32 i = hd_race_find(st->f, k);
        if (i != ~0u)
            print_access(to, st, p, i);
    }
    if (!st->f->race.step[2])
        print_synchronization(to, st, p, e);
    if (!st->f->race.step[2] && st->f->race.class != HD_RACE_WEAK && !is_object(&st->f->events[e[0]]))
        print_told_before(to, st, p, e);
    FILE *words = open_memstream(&hint, &n);
    HD_ASSERT(words);
    bool is_clear = hd_race_hint(st, words);
    fclose(words);
    if (is_clear)
        hd_paint_line(to, p, "To fix it: %s.", hint);
    free(hint);
}
