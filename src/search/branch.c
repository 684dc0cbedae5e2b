/* branch.c: several workers in one tree. Each branch has a path of its own; when a
 * worker has nothing to do an alternative near the root is split off from a branch:
 *
 *   owner   n0 - n1 - n2 - n3 ...      goes on below n2, and back up to n1 only when
 *                 \                    the branch split off there is done
 *   branch  n0 - n1 - m2 - m3 ...      n0, n1 are copies: what its runs want to have
 *                                      tried there is added at the owner
 *
 * The alternatives begun at a node sleep in those begun later, as they do with one
 * worker: it is enough that somebody sees to them. So the same classes are explored,
 * whoever does it.
 */
#include "search/node.h"

#include <string.h>

static void release(struct hd_branch *b)
{
    hd_causal_release(&b->causal);
    hd_vec_release(&b->node);
    hd_vec_release(&b->choice);
    hd_vec_release(&b->step);
    hd_vec_release(&b->act);
    for (u32 q = 0; q < HD_SEARCH_THREADS; q++)
        hd_vec_release(&b->of_thread[q]);
    free(b);
}

void hd_branch_forget(struct hd_branch *b)
{
    hd_vec_clear(&b->node);
    hd_vec_clear(&b->choice);
    hd_vec_clear(&b->step);
    hd_causal_release(&b->causal);
    b->n_fixed = 0;
}

struct hd_branch *hd_branch_add(struct hd_search *s)
{
    struct hd_branch *b = s->cached.n ? s->cached.at[--s->cached.n] : calloc(1, sizeof *b);
    HD_ASSERT(b);
    hd_branch_forget(b);
    for (u32 q = 0; q < HD_SEARCH_THREADS; q++)
        hd_vec_clear(&b->of_thread[q]);
    b->of = s;
    b->owner = NULL;
    b->n_root = 0;
    b->waiting = b->asleep = 0;
    b->is_under_way = b->is_new = b->is_stale = b->is_deferred = false;
    *hd_vec_add(&s->branch) = b;
    return b;
}

void hd_branch_drop(struct hd_search *s, struct hd_branch *b)
{
    for (size_t i = 0; i < s->branch.n; i++)
        if (s->branch.at[i] == b) {
            memmove(&s->branch.at[i], &s->branch.at[i + 1],
                    (s->branch.n - i - 1) * sizeof *s->branch.at);
            s->branch.n--;
            break;
        }
    *hd_vec_add(&s->cached) = b;
}

void hd_branch_drop_all(struct hd_search *s)
{
    while (s->branch.n)
        hd_branch_drop(s, s->branch.at[s->branch.n - 1]);
    memset(s->slot, 0, sizeof s->slot);
}

void hd_branch_release_all(struct hd_search *s)
{
    hd_branch_drop_all(s);
    for (size_t i = 0; i < s->cached.n; i++)
        release(s->cached.at[i]);
    hd_vec_release(&s->cached);
    hd_vec_release(&s->branch);
}

struct hd_node *hd_branch_node(struct hd_branch *b, u32 i)
{
    while (i < b->n_root)
        b = b->owner;
    return &b->node.at[i];
}

u32 hd_branch_floor(const struct hd_search *s, const struct hd_branch *b)
{
    u32 floor = b->n_root;
    for (size_t i = 0; i < s->branch.n; i++)
        if (s->branch.at[i]->owner == b)
            floor = HD_MAX(floor, s->branch.at[i]->n_root - 1);
    return floor;
}

bool hd_branch_has_children(const struct hd_search *s, const struct hd_branch *b)
{
    for (size_t i = 0; i < s->branch.n; i++)
        if (s->branch.at[i]->owner == b)
            return true;
    return false;
}

#define COPY(to, from)                                                                             \
    do {                                                                                           \
        hd_vec_clear(to);                                                                          \
        hd_vec_reserve(to, (from)->n);                                                             \
        if ((from)->n)                                                                             \
            memcpy((to)->at, (from)->at, (from)->n * sizeof *(to)->at);                            \
        (to)->n = (from)->n;                                                                       \
    } while (0)

/* What the owner's last run showed: steps up to node k are the same. */
static void copy_run(struct hd_branch *b, const struct hd_branch *from)
{
    COPY(&b->step, &from->step);
    COPY(&b->act, &from->act);
    for (u32 q = 0; q < HD_SEARCH_THREADS; q++)
        COPY(&b->of_thread[q], &from->of_thread[q]);
    memcpy(b->pending, from->pending, sizeof b->pending);
    b->waiting = from->waiting;
    b->n_threads = from->n_threads;
}

static struct hd_branch *split_at(struct hd_search *s, struct hd_branch *from, u32 k, u16 t)
{
    struct hd_node *n = &from->node.at[k];
    struct hd_branch *b = hd_branch_add(s);
    b->owner = from;
    b->n_root = k + 1;
    hd_vec_reserve(&b->node, k + 1);
    memcpy(b->node.at, from->node.at, (k + 1) * sizeof *b->node.at);
    b->node.n = k + 1;
    b->node.at[k].tid = t;
    b->node.at[k].before = n->done;
    copy_run(b, from);
    b->asleep = s->sleeps ? hd_search_asleep(b, k) : 0;
    n->done |= HD_BIT(t);
    for (u32 i = 0; i <= k; i++)
        hd_search_put_node(b, &b->node.at[i], b->node.at[i].tid);
    b->is_new = true;
    return b;
}

struct hd_branch *hd_branch_split(struct hd_search *s)
{
    struct hd_branch *best = NULL;
    u32 at = 0;
    for (size_t i = 0; i < s->branch.n; i++) {
        struct hd_branch *b = s->branch.at[i];
        if (b->is_new || b->is_stale || b->is_deferred)
            continue;
        for (u32 k = b->n_root; k < b->node.n && (!best || k < at); k++)
            if (hd_search_alternative(s, &b->node.at[k]) != HD_NO_THREAD) {
                best = b;
                at = k;
            }
    }
    return best ? split_at(s, best, at, hd_search_alternative(s, &best->node.at[at])) : NULL;
}
