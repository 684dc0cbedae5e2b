/* save.c: a search that is not over, as bytes: for the same machine and the same
 * Heddle (sizes are compared), so plain structures. What is written: the result so
 * far, what was deferred, what hapset learned, and of each branch its path. A run
 * under way counts as never begun:
 *
 *   first run of all            the search has not started
 *   ... of a plan deferred       goes back on the list
 *   ... of a branch split off   is still to come
 *   later ones                  the alternative is tried again
 *
 * Steps of the last run are not written: the path is run once more instead.
 */
#include "search/node.h"

#include <string.h>

#define MAGIC 0x31534448u /* "HDS1" */

struct head {
    u32 magic, node_size, option_size, later_size;
    char method[16];
    u64 param;
    struct hd_search_result result;
    u32 bound, max_bound;
    u64 n_branches, n_schedules, n_pool, n_learned, n_given;
    u8 is_started, guided, sleeps, has_later, has_finer;
};

struct branch_head {
    u32 owner;     /* index + 1, 0 = none */
    u32 n_root, n_fixed, is_new;
    u64 asleep, n;
};

static u64 count_later(const struct hd_search *s, u32 cost)
{
    u64 n = s->later ? s->later[cost].n : 0;
    for (size_t i = 0; cost == s->bound && i < s->branch.n; i++)
        n += s->branch.at[i]->is_deferred;
    return n;
}

/* Only a first plan under way leaves nothing to be kept of a branch. */
static bool is_kept(const struct hd_branch *b) { return !b->is_deferred && b->node.n; }

static u32 index_of(const struct hd_search *s, const struct hd_branch *b)
{
    u32 n = 0;
    for (size_t i = 0; b && i < s->branch.n; i++) {
        n += is_kept(s->branch.at[i]);
        if (s->branch.at[i] == b)
            return n;
    }
    return 0;
}

static void put_list(const void *at, size_t size, size_t n, FILE *to)
{
    if (n)
        fwrite(at, size, n, to);
}

static void save_map(const struct hd_map *m, FILE *to)
{
    u64 pair[2];
    for (size_t i = 0; hd_map_next(m, &i, &pair[0], &pair[1]);)
        fwrite(pair, sizeof pair, 1, to);
}

static void save_branch(const struct hd_search *s, const struct hd_branch *b, FILE *to)
{
    bool is_new = b->is_new || (b->is_under_way && b->node.n == b->n_root && !b->is_stale);
    struct branch_head h = {.owner = index_of(s, b->owner), .n_root = b->n_root,
                            .n_fixed = b->n_fixed, .is_new = is_new, .asleep = b->asleep,
                            .n = b->node.n};
    fwrite(&h, sizeof h, 1, to);
    for (size_t i = 0; i < b->node.n; i++) {
        struct hd_node n = b->node.at[i];
        if (b->is_under_way && !is_new && !b->is_stale && i + 1 == b->node.n)
            n.done &= ~HD_BIT(n.tid);
        fwrite(&n, sizeof n, 1, to);
    }
}

void hd_search_save(const struct hd_search *s, FILE *to)
{
    struct head h = {.magic = MAGIC,
                     .node_size = sizeof(struct hd_node),
                     .option_size = sizeof(struct hd_search_result),
                     .later_size = sizeof(struct hd_later),
                     .param = s->opts.param,
                     .result = s->result,
                     .bound = s->bound,
                     .max_bound = s->max_bound,
                     .n_schedules = s->schedule.n,
                     .n_pool = s->pool.n,
                     .n_learned = s->learned.n,
                     .n_given = s->given.n,
                     .guided = (u8)s->guided,
                     .has_finer = s->has_finer,
                     .sleeps = s->sleeps,
                     .has_later = s->later != NULL};
    for (size_t i = 0; i < s->branch.n; i++)
        h.n_branches += is_kept(s->branch.at[i]);
    h.is_started = s->is_started && (s->result.runs || h.n_branches);
    strncpy(h.method, s->opts.method->name, sizeof h.method - 1);
    fwrite(&h, sizeof h, 1, to);
    put_list(s->schedule.at, sizeof *s->schedule.at, s->schedule.n, to);
    put_list(s->pool.at, sizeof *s->pool.at, s->pool.n, to);
    for (u32 c = 0; s->later && c <= s->max_bound; c++) {
        u64 n = count_later(s, c);
        fwrite(&n, sizeof n, 1, to);
        put_list(s->later[c].at, sizeof *s->later[c].at, s->later[c].n, to);
        for (size_t i = 0; c == s->bound && i < s->branch.n; i++)
            if (s->branch.at[i]->is_deferred)
                fwrite(&s->branch.at[i]->late, sizeof(struct hd_later), 1, to);
    }
    save_map(&s->learned, to);
    save_map(&s->given, to);
    for (size_t i = 0; i < s->branch.n; i++)
        if (is_kept(s->branch.at[i]))
            save_branch(s, s->branch.at[i], to);
}

/* ---- and back --------------------------------------------------------------------------- */

#define MOST ((u64)1 << 32) /* entries of a list; more is nonsense */

static bool get(FILE *from, void *at, size_t size) { return fread(at, size, 1, from) == 1; }

#define GET_LIST(v, count, from)                                                                   \
    ({                                                                                             \
        u64 n_ = (count);                                                                          \
        bool ok_ = n_ < MOST;                                                                      \
        for (u64 i_ = 0; ok_ && i_ < n_; i_++)                                                     \
            ok_ = get(from, hd_vec_add(v), sizeof *(v)->at);                                       \
        ok_;                                                                                       \
    })

static bool load_map(struct hd_map *m, u64 n, FILE *from)
{
    u64 pair[2];
    for (; n; n--) {
        if (!get(from, pair, sizeof pair))
            return false;
        hd_map_put(m, pair[0], pair[1]);
    }
    return true;
}

static bool load_later(struct hd_search *s, FILE *from)
{
    u64 n;
    s->later = calloc((size_t)s->max_bound + 1, sizeof *s->later);
    HD_ASSERT(s->later);
    for (u32 c = 0; c <= s->max_bound; c++) {
        if (!get(from, &n, sizeof n) || !GET_LIST(&s->later[c], n, from))
            return false;
        s->n_later += n;
    }
    return true;
}

static bool load_branch(struct hd_search *s, FILE *from)
{
    struct branch_head h;
    if (!get(from, &h, sizeof h) || h.owner > s->branch.n || !h.n || h.n_root > h.n ||
        (h.n_root && !h.owner))
        return false;
    struct hd_branch *b = hd_branch_add(s);
    b->owner = h.owner ? s->branch.at[h.owner - 1] : NULL;
    b->n_root = h.n_root;
    b->n_fixed = h.n_fixed;
    b->is_new = h.is_new;
    b->is_stale = !h.is_new;
    b->asleep = h.asleep;
    if (!GET_LIST(&b->node, h.n, from))
        return false;
    for (size_t i = 0; b->is_new && i < b->node.n; i++)
        hd_search_put_node(b, &b->node.at[i], b->node.at[i].tid);
    return true;
}

static bool load(struct hd_search *s, const struct head *h, FILE *from)
{
    s->result = h->result;
    s->bound = h->bound;
    s->max_bound = h->max_bound;
    s->is_started = h->is_started;
    s->guided = h->guided;
    s->has_finer = h->has_finer;
    s->sleeps = h->sleeps;
    if (!GET_LIST(&s->schedule, h->n_schedules, from) || !GET_LIST(&s->pool, h->n_pool, from) ||
        (h->has_later && !load_later(s, from)) || !load_map(&s->learned, h->n_learned, from) ||
        !load_map(&s->given, h->n_given, from))
        return false;
    for (u64 i = 0; i < h->n_branches; i++)
        if (!load_branch(s, from))
            return false;
    return true;
}

bool hd_search_load(struct hd_search *s, FILE *from)
{
    struct head h;
    if (!get(from, &h, sizeof h) || h.magic != MAGIC || h.node_size != sizeof(struct hd_node) ||
        h.option_size != sizeof(struct hd_search_result) ||
        h.later_size != sizeof(struct hd_later) || h.param != s->opts.param ||
        strncmp(h.method, s->opts.method->name, sizeof h.method) ||
        (h.has_later && (h.max_bound != s->max_bound || h.bound > h.max_bound)))
        return false;
    if (load(s, &h, from))
        return true;
    hd_search_restart(s);
    return false;
}
