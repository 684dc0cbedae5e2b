/* atomicity.c: two accesses of one thread with one of another thread in between, in words. */
#include "report/explain/race.h"

#define NAME 320

static const char *verb(const struct hd_event *e)
{
    u32 effects = hd_effects(e);
    return !(effects & HD_WRITES) ? "reads" : effects & HD_READS ? "updates" : "writes";
}

/* The begin of the atomic block that the thread is in at event i, ~0u = it is in none. */
static u32 block_of(const struct hd_finding *f, u32 i)
{
    u32 depth = 0;
    for (u32 k = i; k-- > 0;) {
        if (f->events[k].tid != f->events[i].tid)
            continue;
        if (f->events[k].kind == HD_EV_ATOMIC_END)
            depth++;
        if (f->events[k].kind == HD_EV_ATOMIC_BEGIN && !depth--)
            return k;
    }
    return ~0u;
}

bool hd_atomicity_is_marked(const struct hd_finding *f)
{
    u32 first = hd_race_find(f, 0);
    return first != ~0u && block_of(f, first) != ~0u;
}

/* Is there a lock that the thread holds at both, and has released in between? */
static bool find_lock(const struct hd_finding *f, u32 first, u32 last, u32 *given)
{
    for (u32 i = first; i < last; i++) {
        const struct hd_event *e = &f->events[i];
        if (e->tid != f->events[first].tid || !(hd_effects(e) & HD_GIVES))
            continue;
        for (u32 k = i + 1; k < last; k++)
            if (f->events[k].tid == e->tid && f->events[k].obj == e->obj &&
                hd_effects(&f->events[k]) & HD_TAKES) {
                *given = i;
                return true;
            }
    }
    return false;
}

static void write_results(const struct hd_race *r, FILE *to)
{
    if (r->class == HD_RACE_CHANGES && r->result[0][0])
        fprintf(to, ". In between: %s (%u of %u runs); before or after the two: %s (%u of %u)",
                r->result[0], r->same[0], r->of[0], r->result[1], r->same[1], r->of[1]);
    else if (r->of[0])
        fprintf(to, ". %u runs of this order ended like those without it", r->of[0]);
}

static void write_why(struct hd_model *st, FILE *to, u32 first, u32 last)
{
    const struct hd_finding *f = st->f;
    u32 block, given;
    char name[NAME];
    if ((block = block_of(f, first)) != ~0u) {
        hd_name_event(st, block, false, name, sizeof name);
        fprintf(to, ", though all of the block that begins at %s must be atomic", name);
    } else if (find_lock(f, first, last, &given)) {
        hd_name_quoted_of(st, &f->events[given], name, sizeof name);
        fprintf(to, ": the two accesses stand in two sections of %s", name);
    }
}

/* "T1 writes `x` at a.c:3 in f() and `y` at a.c:7 in f(), and T2 reads both in between, at ..." */
static void write_two(struct hd_model *st, FILE *to)
{
    const struct hd_finding *f = st->f;
    u32 e[4];
    char var[4][NAME], who[2][48], place[4][NAME + 200];
    for (u32 k = 0; k < 4; k++) {
        if ((e[k] = hd_race_find(f, k)) == ~0u) {
            fprintf(to, "Accesses to two variables came between two others");
            return;
        }
        hd_race_place(st, e[k], place[k], sizeof place[k]);
        hd_name_quoted_of(st, &f->events[e[k]], var[k], sizeof var[k]);
    }
    for (u32 k = 0; k < 2; k++)
        hd_name_thread(st, f->events[e[k]].tid, who[k], sizeof who[k]);
    fprintf(to, "%s %s %s at %s and %s %s at %s, and %s is at both in between: it %s %s at %s and %s "
            "%s at %s", who[0], verb(&f->events[e[0]]), var[0], place[0], verb(&f->events[e[2]]), var[2],
            place[2], who[1], verb(&f->events[e[1]]), var[1], place[1], verb(&f->events[e[3]]), var[3],
            place[3]);
    write_why(st, to, e[0], e[2]);
    write_results(&f->race, to);
}

void hd_atomicity_sentence(struct hd_model *st, FILE *to)
{
    const struct hd_finding *f = st->f;
    u32 e[3];
    char var[NAME], who[2][48], place[3][NAME + 200];
    if (f->race.step[3]) {
        write_two(st, to);
        return;
    }
    for (u32 k = 0; k < 3; k++) {
        if ((e[k] = hd_race_find(f, k)) == ~0u) {
            fprintf(to, "An access came between two others");
            return;
        }
        hd_race_place(st, e[k], place[k], sizeof place[k]);
    }
    hd_name_quoted_of(st, &f->events[e[0]], var, sizeof var);
    for (u32 k = 0; k < 2; k++)
        hd_name_thread(st, f->events[e[k]].tid, who[k], sizeof who[k]);
    fprintf(to, "%s %s %s at %s and %s it at %s, and %s %s it in between at %s", who[0],
            verb(&f->events[e[0]]), var, place[0], verb(&f->events[e[2]]), place[2], who[1],
            verb(&f->events[e[1]]), place[1]);
    write_why(st, to, e[0], e[2]);
    write_results(&f->race, to);
}
