/* history_node.c: accesses that are judged become nodes; equal ones become one. See history.h. */
#include "predict/history.h"

#include "base/vec.h"

#include <string.h>

static u64 hash(const struct hd_position *is)
{
    u64 w[6], x = 0;
    memcpy(w, is, sizeof w);
    for (u32 i = 0; i < 6; i++) {
        x = (x ^ w[i]) * 0x9e3779b97f4a7c15ull;
        x ^= x >> 29;
    }
    return x;
}

/* ---- nodes by position --------------------------------------------------------- */

/* The node in this position, 0 = none. Epochs and clocks of a thread never go back, so it is among the
 * newest of its chain. Copies (hd_history_split) are in none. */
static u32 find(const struct hd_history *h, const struct hd_access_node *n)
{
    const struct hd_position *is = &n->is;
    for (u32 i = h->chain.at[n->chain].head[hd_access_list(is->kind)]; i; i = h->link.at[i].older) {
        const struct hd_position *x = &h->node.at[i].is;
        if (x->epoch != is->epoch || x->clock != is->clock)
            break;
        if (!memcmp(x, is, sizeof *x))
            return i;
    }
    return 0;
}

/* ---- nodes ----------------------------------------------------------------------- */

struct hd_access_more *hd_history_more(struct hd_history *h, u32 id)
{
    struct hd_access_node *n = &h->node.at[id];
    if (!n->more) {
        *hd_vec_add(&h->more) = (struct hd_access_more){.last = n->first, .last_stretch = n->stretch};
        n->more = (u32)h->more.n - 1;
    }
    return &h->more.at[n->more];
}

u32 hd_history_add(struct hd_history *h, const struct hd_access_node *n, u32 access_class)
{
    u32 id = (u32)h->node.n, more = n->more;
    *hd_vec_add(&h->node) = *n;
    *hd_vec_add(&h->link) = (struct hd_access_link){
        .access_class = access_class, .epoch = n->is.epoch,
        .next = hd_access_list(n->is.kind) == HD_WRITERS ? n->next_write : n->next_any};
    h->node.at[id].more = 0;
    if (more) {
        struct hd_access_more *to = hd_history_more(h, id);
        to->last = h->more.at[more].last;
        to->last_stretch = h->more.at[more].last_stretch;
    }
    return id;
}

/* By hash alone: two access_class taken for one would only be looked at less often. */
static u32 class_of(struct hd_history *h, const struct hd_position *is)
{
    struct hd_position x = *is;
    x.generation = x.epoch = x.clock = x.next_in = 0;
    u64 *id = hd_map_ref(&h->class_number, hash(&x), h->access_class.n);
    if (*id == h->access_class.n)
        *hd_vec_add(&h->access_class) = (struct hd_access_class){0};
    return (u32)*id;
}

/* One more instance. The first knows least of what came before, so it speaks
 * for all; one whose next access lies in a later epoch is alone of its kind. */
static void merge(struct hd_history *h, u32 id, const struct hd_access_node *n)
{
    struct hd_access_more *more = hd_history_more(h, id);
    more->last = n->first;
    more->last_stretch = n->stretch;
    h->node.at[id].times++;
}

static u32 make(struct hd_history *h, const struct hd_access_node *n)
{
    u32 id = find(h, n);
    if (id) {
        merge(h, id, n);
        return id;
    }
    id = hd_history_add(h, n, class_of(h, &n->is));
    h->count.nodes++;
    hd_history_link(h, id);
    h->node_made(h->self, id);
    return id;
}

void hd_history_judge(struct hd_history *h, u32 chain, u32 list)
{
    u32 *pending = &h->chain.at[chain].pending[list], trail = h->pending.at[*pending].trail;
    struct hd_access_node n = h->pending.at[*pending].node;
    h->pending.at[*pending].trail = h->free_pending;
    h->free_pending = *pending;
    *pending = 0;
    n.is.next_in = (n.next_any == n.is.epoch ? HD_NEXT_ANY : 0) |
                   (n.next_write == n.is.epoch ? HD_NEXT_WRITE : 0);
    h->count.judged++;
    u32 id = make(h, &n);
    if (trail)
        h->thread[n.is.tid].trail.at[trail - 1].node = id;
}

void hd_history_judge_chain(struct hd_history *h, u32 chain)
{
    if (h->chain.at[chain].pending[HD_WRITERS])
        hd_history_judge(h, chain, HD_WRITERS);
    if (h->chain.at[chain].pending[HD_OTHERS])
        hd_history_judge(h, chain, HD_OTHERS);
}
