/* arrivals.c: which process of a command is it that asks? Runs and replays have to know it again.
 *
 * Its program and its number in the order they come are not enough where several are started at
 * the same time: the kernel orders them. So what it was started with counts as well, its arguments
 * and by which forks it came about (runtime/started/stand_by.c), where that is the same from run to
 * run; where it is not (names of temporary files), the order has to do. */
#include <string.h>

#include "children/children.h"

struct hd_arrivals_entry {
    u64 program;       /* hash of its path and kind */
    u64 started_with;
};

static u64 mixed(u64 h, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ (u8)text[i]) * 0x100000001b3ull;
    return h;
}

bool hd_arrivals_add(struct hd_arrivals *r, const struct hd_ask *a, struct hd_process *who)
{
    const u64 start = 0xcbf29ce484222325ull;
    bool is_forked = a->kind == HD_ASK_THREADS && a->is_forked;
    if (!is_forked && a->kind != HD_ASK_START)
        return false;
    u64 with = mixed(start ^ a->forks, a->args, a->n_args);
    struct hd_arrivals_entry now = {mixed(start + is_forked, a->exe, strlen(a->exe)), with ? with : 1};
    *who = (struct hd_process){.program = a->exe, .is_forked = is_forked, .instance = 1,
                               .started_with = now.started_with, .same_nth = 1};
    for (size_t i = 0; i < r->at.n; i++) {
        if (r->at.at[i].program != now.program)
            continue;
        who->instance++;
        who->same_nth += r->at.at[i].started_with == now.started_with;
    }
    *hd_vec_add(&r->at) = now;
    return true;
}

void hd_arrivals_release(struct hd_arrivals *r) { hd_vec_release(&r->at); }

static bool is_kind(const struct hd_process *a, const struct hd_process *b)
{
    return a->is_forked == b->is_forked && !strcmp(a->program, b->program);
}

bool hd_process_is_same(const struct hd_process *a, const struct hd_process *b)
{
    return is_kind(a, b) && a->instance == b->instance && a->started_with == b->started_with &&
           a->same_nth == b->same_nth;
}

bool hd_process_is(const struct hd_process *p, const struct hd_process *who,
                   const struct hd_process *list, u32 n)
{
    bool is_known = p->started_with == who->started_with;
    if (!is_kind(p, who))
        return false;
    for (u32 i = 0; i < n && !is_known; i++)
        is_known = is_kind(&list[i], who) && list[i].started_with == who->started_with;
    if (is_known)
        return p->started_with == who->started_with && p->same_nth == who->same_nth;
    return p->instance == who->instance;
}

void hd_process_to_config(const struct hd_process *p, struct hd_config *cfg)
{
    cfg->instance = p->instance;
    cfg->is_forked = p->is_forked;
    cfg->started_with = p->started_with;
    cfg->same_nth = p->same_nth;
    cfg->is_together = p->is_together;
}

struct hd_process hd_process_of(const struct hd_config *cfg, const char *program)
{
    return (struct hd_process){.program = program, .is_forked = cfg->is_forked != 0,
                               .instance = cfg->instance, .started_with = cfg->started_with,
                               .same_nth = cfg->same_nth, .is_together = cfg->is_together != 0};
}
