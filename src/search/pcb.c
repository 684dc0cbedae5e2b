/* pcb.c: every interleaving with no preemption, then those with one, with two,
 * ... up to the bound (Musuvathi and Qadeer, PLDI 2007; CHESS). A preemption is a
 * switch away from a thread that could have gone on; a thread that waits by
 * looping could not. Who is woken, and who follows a thread that blocks, is free.
 *
 * No reduction: sleep sets would rely on siblings that the bound has cut. What
 * loses nothing: chess, and dpor with a number.
 */
#include "search/node.h"

#define MAX_BOUND 1024

static void pcb_start(struct hd_search *s)
{
    s->max_bound = (u32)HD_MIN(s->opts.param, (u64)MAX_BOUND);
}

static const struct hd_search_ops pcb_ops = {
    .start = pcb_start,
    .fresh = hd_search_fresh_all,
    .cost = hd_search_preempts,
    .again = hd_later_next,
};

const struct hd_search_method hd_search_pcb = {
    .name = "pcb",
    .doc = "every interleaving with up to so many preemptions, fewest first",
    .param_name = "preemptions",
    .param_default = 2,
    .ops = &pcb_ops,
};
