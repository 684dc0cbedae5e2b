/* history_node.c: accesses that are judged become nodes; equal ones become one. See history.h. */
#include "predict/history.h"

#include "base/vec.h"

#include <string.h>

static u64 hash(const struct hd_does *does)
{
    u64 w[4], x = 0;
    memcpy(w, does, sizeof w);
    for (u32 i = 0; i < HD_COUNT(w); i++) {
        x = (x ^ w[i]) * 0x9e3779b97f4a7c15ull;
        x ^= x >> 29;
    }
    return x;
}

static u32 class_of(struct hd_history *h, const struct hd_does *does)
{
    for (u64 key = hash(does);; key++) {
        u32 id = (u32)*hd_map_ref(&h->class_number, key, h->access_class.n);
        if (id == h->access_class.n)
            *hd_vec_add(&h->access_class) = (struct hd_access_class){.does = *does};
        if (!memcmp(&h->access_class.at[id].does, does, sizeof *does))
            return id;
    }
}

/* What makes two accesses of a chain one node, besides their class. */
static bool is_same_place(const struct hd_access_node *a, const struct hd_access_node *b)
{
    return a->generation == b->generation && (a->next_any == a->epoch) == (b->next_any == b->epoch) &&
           (a->next_write == a->epoch) == (b->next_write == b->epoch) && !a->is_copy;
}

/* The node that is one with it, 0 = none. Epochs and clocks of a thread never go back, so it is among the
 * newest of its chain. */
static u32 find(const struct hd_history *h, const struct hd_access_node *n, u32 access_class, u32 list)
{
    for (u32 i = h->chain.at[n->chain].head[list]; i; i = h->link.at[i].older) {
        const struct hd_access_node *x = &h->node.at[i];
        if (x->epoch != n->epoch || x->clock != n->clock)
            break;
        if (h->link.at[i].access_class == access_class && is_same_place(x, n))
            return i;
    }
    return 0;
}

/* ---- nodes ----------------------------------------------------------------------- */

struct hd_access_more *hd_history_more(struct hd_history *h, u32 id)
{
    struct hd_access_node *n = &h->node.at[id];
    if (!n->more) {
        *hd_vec_add(&h->more) = (struct hd_access_more){
            .times = 1, .last = n->first, .last_stretch = n->stretch};
        n->more = (u32)h->more.n - 1;
    }
    return &h->more.at[n->more];
}

u32 hd_history_add(struct hd_history *h, const struct hd_access_node *n, u32 access_class)
{
    u32 id = (u32)h->node.n, more = n->more;
    *hd_vec_add(&h->node) = *n;
    *hd_vec_add(&h->link) = (struct hd_access_link){
        .access_class = access_class, .epoch = n->epoch,
        .next = hd_access_list(h->access_class.at[access_class].does.kind) == HD_WRITERS ? n->next_write
                                                                                       : n->next_any};
    h->node.at[id].more = 0;
    if (more) {
        struct hd_access_more *to = hd_history_more(h, id);
        to->times = h->more.at[more].times;
        to->last = h->more.at[more].last;
        to->last_stretch = h->more.at[more].last_stretch;
    }
    return id;
}

/* One more instance. The first knows least of what came before, so it speaks
 * for all; one whose next access lies in a later epoch is alone of its kind. */
static void merge(struct hd_history *h, u32 id, const struct hd_access_node *n)
{
    struct hd_access_more *more = hd_history_more(h, id);
    more->last = n->first;
    more->last_stretch = n->stretch;
    more->times++;
}

static u32 make(struct hd_history *h, const struct hd_does *does, const struct hd_access_node *n)
{
    u32 access_class = class_of(h, does), id = find(h, n, access_class, hd_access_list(does->kind));
    if (id) {
        merge(h, id, n);
        return id;
    }
    id = hd_history_add(h, n, access_class);
    h->count.nodes++;
    hd_history_link(h, id);
    h->node_made(h->self, id);
    return id;
}

void hd_history_judge(struct hd_history *h, const struct hd_unjudged *x)
{
    h->count.judged++;
    u32 id = make(h, &x->does, &x->node);
    if (x->trail)
        h->thread[x->does.tid].trail.at[x->trail - 1].node = id;
}
