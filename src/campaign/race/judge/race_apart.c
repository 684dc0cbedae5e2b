/* race_apart.c: two writes of which the second thread's begins only after the first one's is done.
 *
 * A write that stands at its scheduling point may have read already: clang tells of `n++` only the
 * write, behind the read. Then both orders of the two writes leave the same, an update is lost in
 * either. The third order is the one where nothing is lost: the second thread waits before its
 * last step ahead of the access. That step has nothing to do with what others did since, so what
 * differs is what the thread read in between, on its way to the write.
 */
#include "campaign/race/explorer.h"
#include "event/depend.h"
#include "minimize/shrink.h"

static struct hd_act act_of(const struct hd_event *e)
{
    return (struct hd_act){.tid = e->tid, .kind = e->kind, .flags = HD_ACT_DONE,
                           .size = hd_act_size(e->size), .obj = e->obj, .arg = e->arg};
}

/* Index of the last step of `tid` before event `at`; `at` if there is none. */
static u32 step_before(const struct hd_finding *f, u16 tid, u32 at)
{
    for (u32 i = at; i > 1; i--)
        if (f->events[i - 1].tid == tid && f->events[i - 1].step > f->events[i - 2].step)
            return i - 1;
    return at;
}

/* Nothing that others did from there up to `at` has to do with event `i`. */
static bool is_free(const struct hd_finding *f, u32 i, u32 at)
{
    struct hd_act a = act_of(&f->events[i]);
    for (u32 k = i + 1; k <= at; k++) {
        struct hd_act b = act_of(&f->events[k]);
        if (b.tid != a.tid && hd_act_depends(&a, &b))
            return false;
    }
    return true;
}

bool hd_race_apart(struct hd_list *script, const struct hd_finding *f, const u16 tid[2])
{
    struct hd_list all = {0}, rest = {0};
    u32 at = 0;
    while (at < f->n_events && f->events[at].step < f->race.step[0])
        at++;
    if (at == f->n_events || f->events[at].kind != HD_EV_WRITE)
        return false;
    u32 before = step_before(f, tid[1], at);
    if (before == at || !is_free(f, before, at))
        return false;
    hd_list_set(&all, f->replay.choice, f->replay.n);
    hd_list_delay(&rest, script, &all, tid[1], f->events[before].step, f->race.step[0], 0, 0);
    for (u32 i = 0; i < 2; i++) /* that step and the access */
        hd_list_add(script, (struct hd_choice){1, tid[1], HD_CHOICE_PICK, 0});
    hd_list_release(&all);
    hd_list_release(&rest);
    return true;
}
