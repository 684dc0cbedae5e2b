/* save.c: a search that is not over, as text. What is written: the result so far, what was
 * deferred, what hapset learned, and of each branch its path. Numbers are hexadecimal:
 *
 *   search METHOD PARAM
 *   result RUNS CUT EXPLORED REDUCED BOUND GUIDED LIMITS STEP TID EXPECTED MET
 *   state STARTED BOUND GUIDED FINER
 *   schedule [KIND TID COUNT]...      later COST SCHEDULE AT TID KIND EARLY
 *   learned PAIR BY                   given PAIR BY
 *   branch OWNER ROOT FIXED NEW ASLEEP, then its nodes
 *   end
 *
 * A run under way counts as never begun: the first of all leaves a search that has not
 * started, that of a deferred plan goes back on the list, that of a branch split off is
 * still to come, else the alternative is tried again. Steps of the last run are not
 * written: the path is run once more. Whoever reads believes nothing: see load.
 */
#include "search/node.h"

#include <string.h>

#include "event/shm.h"
#include "text/words.h"

#define MOST_NODES HD_SHM_OPTIONS /* of a path: longer runs are not searched */

/* ---- writing ------------------------------------------------------------------------------ */

/* Only a first plan under way leaves nothing to be kept of a branch. */
static bool is_saved(const struct hd_branch *b) { return !b->is_deferred && b->node.n; }

static u32 index_of(const struct hd_search *s, const struct hd_branch *b)
{
    u32 n = 0;
    for (size_t i = 0; b && i < s->branch.n; i++) {
        n += is_saved(s->branch.at[i]);
        if (s->branch.at[i] == b)
            return n;
    }
    return 0;
}

static void put(FILE *to, const char *word, const u64 *number, u32 n)
{
    fputs(word, to);
    for (u32 i = 0; i < n; i++)
        fprintf(to, " %llx", (unsigned long long)number[i]);
    fputc('\n', to);
}
#define PUT(to, word, ...)                                                                         \
    put(to, word, (const u64[]){__VA_ARGS__}, (u32)HD_COUNT(((const u64[]){__VA_ARGS__})))

static void put_map(FILE *to, const char *word, const struct hd_map *m)
{
    u64 pair, by;
    for (size_t i = 0; hd_map_next(m, &i, &pair, &by);)
        PUT(to, word, pair, by);
}

static void put_node(FILE *to, const struct hd_node *n)
{
    PUT(to, "node", n->o.step, n->o.tid, n->o.kind, n->o.flags, n->o.could, n->o.candidates,
        n->o.early, n->tid, n->from, n->step, n->cost, n->is_fixed, n->todo, n->done, n->before,
        n->sleep);
}

static void put_branch(FILE *to, const struct hd_search *s, const struct hd_branch *b)
{
    bool is_new = b->is_new || (b->is_under_way && b->node.n == b->n_root && !b->is_stale);
    PUT(to, "branch", index_of(s, b->owner), b->n_root, b->n_fixed, is_new, b->asleep);
    for (size_t i = 0; i < b->node.n; i++) {
        struct hd_node n = b->node.at[i];
        if (b->is_under_way && !is_new && !b->is_stale && i + 1 == b->node.n)
            n.done &= ~HD_BIT(n.tid);
        put_node(to, &n);
    }
}

static void put_deferred(FILE *to, u32 cost, const struct hd_later *l)
{
    PUT(to, "later", cost, l->schedule, l->at, l->tid, l->kind, l->is_early);
}

static void put_later(FILE *to, const struct hd_search *s)
{
    for (size_t i = 0; i < s->schedule.n; i++) {
        const struct hd_schedule *k = &s->schedule.at[i];
        fputs("schedule", to);
        for (u32 c = 0; c < k->n; c++) {
            const struct hd_choice *e = &s->pool.at[k->first + c];
            fprintf(to, " %x %x %x", e->kind, e->tid, e->count);
        }
        fputc('\n', to);
    }
    for (u32 c = 0; s->later && c <= s->max_bound; c++)
        for (size_t i = 0; i < s->later[c].n; i++)
            put_deferred(to, c, &s->later[c].at[i]);
    for (size_t i = 0; i < s->branch.n; i++)
        if (s->branch.at[i]->is_deferred)
            put_deferred(to, s->bound, &s->branch.at[i]->late);
}

void hd_search_put_result(const struct hd_search_result *r, FILE *to)
{
    PUT(to, "result", r->runs, r->cut, r->explored, r->is_reduced, r->bound, r->guided, r->limits,
        r->chance.step, r->chance.tid, r->chance.expected, r->chance.met);
}

void hd_search_save(const struct hd_search *s, FILE *to)
{
    bool has_branch = false;
    for (size_t i = 0; i < s->branch.n; i++)
        has_branch |= is_saved(s->branch.at[i]);
    fprintf(to, "search %s %llx\n", s->opts.method->name, (unsigned long long)s->opts.param);
    hd_search_put_result(&s->result, to);
    PUT(to, "state", s->is_started && (s->result.runs || has_branch), s->bound, s->guided,
        s->has_finer);
    put_later(to, s);
    put_map(to, "learned", &s->learned);
    put_map(to, "given", &s->given);
    for (size_t i = 0; i < s->branch.n; i++)
        if (is_saved(s->branch.at[i]))
            put_branch(to, s, s->branch.at[i]);
    fputs("end\n", to);
}

/* ---- and back --------------------------------------------------------------------------- */

#define ANY UINT64_MAX
#define TID (HD_SEARCH_THREADS - 1)

/* The numbers of a line, each at most as large as its `max`. */
static bool get(struct hd_words *w, u64 *to, const u64 *max, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (!hd_words_hex(w, max[i], &to[i]))
            return false;
    return hd_words_is_end(w);
}
#define GET(w, to, ...)                                                                            \
    (get(w, to, (const u64[]){__VA_ARGS__}, (u32)HD_COUNT(((const u64[]){__VA_ARGS__}))))

static bool is_choice(u64 kind)
{
    return kind == HD_CHOICE_PICK || kind == HD_CHOICE_WAKE || kind == HD_CHOICE_SIGNAL;
}

bool hd_search_get_result(struct hd_search_result *r, struct hd_words *w)
{
    u64 v[11];
    if (!hd_words_is(w, "result") ||
        !GET(w, v, ANY, ANY, ANY, 1, UINT32_MAX, ANY, (1u << HD_LIMIT_COUNT) - 1, UINT32_MAX,
             UINT16_MAX, ANY, ANY))
        return false;
    *r = (struct hd_search_result){
        .runs = v[0],
        .cut = v[1],
        .explored = v[2],
        .is_reduced = v[3],
        .bound = (u32)v[4],
        .guided = v[5],
        .limits = (u32)v[6],
        .chance = {.step = (u32)v[7], .tid = (u16)v[8], .expected = v[9], .met = v[10]}};
    return r->cut <= r->runs && r->explored <= r->runs;
}

/* The bound is the method's, or one of its rounds. */
static bool get_state(struct hd_search *s, struct hd_words *w)
{
    const struct hd_search_ops *ops = s->opts.method->ops;
    u64 v[4];
    if (!hd_words_is(w, "state") || !GET(w, v, 1, UINT32_MAX, HD_GUIDED_LAST, 1))
        return false;
    bool has_rounds = ops->again == hd_later_next;
    if (has_rounds ? v[1] > s->max_bound : v[1] != s->bound)
        return false;
    if (!ops->learns && (v[2] || v[3]))
        return false;
    s->is_started = v[0];
    s->bound = (u32)v[1];
    s->guided = (u32)v[2];
    s->has_finer = v[3];
    if (ops->learns)
        s->sleeps = !s->guided && s->bound == HD_NO_BOUND;
    return true;
}

static bool get_schedule(struct hd_search *s, struct hd_words *w)
{
    struct hd_schedule k = {.first = (u32)s->pool.n};
    u64 kind, tid, count, length = 0;
    while (!hd_words_is_end(w)) {
        if (!hd_words_hex(w, HD_CHOICE_SIGNAL, &kind) || !hd_words_hex(w, TID, &tid) ||
            !hd_words_hex(w, MOST_NODES, &count) || !count ||
            !(is_choice(kind) || kind == HD_CHOICE_TIMEOUT) || (length += count) > 2 * MOST_NODES)
            return false;
        *hd_vec_add(&s->pool) =
            (struct hd_choice){.kind = (u8)kind, .tid = (u16)tid, .count = (u32)count};
        k.n++;
    }
    *hd_vec_add(&s->schedule) = k;
    return s->pool.n < UINT32_MAX && s->schedule.n < UINT32_MAX;
}

static bool get_later(struct hd_search *s, struct hd_words *w)
{
    u64 v[6];
    if (s->opts.method->ops->again != hd_later_next || !s->schedule.n ||
        !GET(w, v, s->max_bound, s->schedule.n - 1, MOST_NODES - 1, TID, HD_CHOICE_SIGNAL, 1) ||
        !is_choice(v[4]))
        return false;
    if (!s->later)
        s->later = calloc((size_t)s->max_bound + 1, sizeof *s->later);
    HD_ASSERT(s->later);
    *hd_vec_add(&s->later[v[0]]) = (struct hd_later){.schedule = (u32)v[1],
                                                     .at = (u32)v[2],
                                                     .tid = (u16)v[3],
                                                     .kind = (u8)v[4],
                                                     .is_early = v[5]};
    s->n_later++;
    return true;
}

static bool get_pair(struct hd_search *s, struct hd_map *m, struct hd_words *w)
{
    u64 v[2];
    if (!s->opts.method->ops->learns || !GET(w, v, ANY, HD_GUIDED_LED) || !v[1])
        return false;
    hd_map_put(m, v[0], v[1]);
    return true;
}

/* An owner comes before its branches, and has the nodes they share. */
static bool get_branch(struct hd_search *s, struct hd_words *w)
{
    u64 v[5];
    if (!GET(w, v, s->branch.n, MOST_NODES, UINT32_MAX, 1, ANY) || !v[0] != !v[1])
        return false;
    struct hd_branch *owner = v[0] ? s->branch.at[v[0] - 1] : NULL;
    if (owner && (v[1] > owner->node.n || v[1] <= owner->n_root))
        return false;
    struct hd_branch *b = hd_branch_add(s);
    b->owner = owner;
    b->n_root = (u32)v[1];
    b->n_fixed = (u32)v[2];
    b->is_new = v[3];
    b->is_stale = !v[3];
    b->asleep = v[4];
    return true;
}

static bool get_node(struct hd_search *s, struct hd_words *w)
{
    struct hd_branch *b = s->branch.n ? *hd_vec_last(&s->branch) : NULL;
    u64 v[16];
    if (!b || b->node.n >= MOST_NODES ||
        !GET(w, v, UINT32_MAX, TID, HD_CHOICE_SIGNAL, UINT8_MAX, ANY, ANY, ANY, TID, HD_NO_THREAD,
             UINT32_MAX, UINT32_MAX, 1, ANY, ANY, ANY, ANY) ||
        !is_choice(v[2]) || (v[8] > TID && v[8] != HD_NO_THREAD))
        return false;
    struct hd_node n = {.o = {.step = (u32)v[0],
                              .tid = (u16)v[1],
                              .kind = (u8)v[2],
                              .flags = (u8)v[3],
                              .could = v[4],
                              .candidates = v[5],
                              .early = v[6]},
                        .tid = (u16)v[7],
                        .from = (u16)v[8],
                        .step = (u32)v[9],
                        .cost = (u32)v[10],
                        .is_fixed = v[11],
                        .todo = v[12],
                        .done = v[13],
                        .before = v[14],
                        .sleep = v[15]};
    if (n.todo & ~(hd_node_options(&n) | HD_BIT(n.o.tid)))
        return false; /* somebody who could not go there */
    *hd_vec_add(&b->node) = n;
    return true;
}

/* True once all is there; every branch has a path, at least as long as what it shares. */
static bool get_end(struct hd_search *s, struct hd_words *w)
{
    for (size_t i = 0; i < s->branch.n; i++) {
        struct hd_branch *b = s->branch.at[i];
        if (!b->node.n || b->node.n < b->n_root)
            return false;
        for (size_t k = 0; b->is_new && k < b->node.n; k++)
            hd_search_put_node(b, &b->node.at[k], b->node.at[k].tid);
    }
    return hd_words_is_end(w) && !hd_words_line(w);
}

static bool load(struct hd_search *s, struct hd_words *w)
{
    if (!hd_words_line(w) || !hd_search_get_result(&s->result, w) || !hd_words_line(w) ||
        !get_state(s, w))
        return false;
    while (hd_words_line(w)) {
        if (hd_words_is(w, "end"))
            return get_end(s, w);
        if (!(hd_words_is(w, "node")       ? get_node(s, w)
              : hd_words_is(w, "branch")   ? get_branch(s, w)
              : hd_words_is(w, "schedule") ? get_schedule(s, w)
              : hd_words_is(w, "later")    ? get_later(s, w)
              : hd_words_is(w, "learned")  ? get_pair(s, &s->learned, w)
              : hd_words_is(w, "given")    ? get_pair(s, &s->given, w)
                                           : false))
            return false;
    }
    return false;
}

bool hd_search_load(struct hd_search *s, struct hd_words *w)
{
    u64 param;
    if (!hd_words_line(w) || !hd_words_is(w, "search") || !hd_words_is(w, s->opts.method->name) ||
        !hd_words_hex(w, ANY, &param) || !hd_words_is_end(w) || param != s->opts.param)
        return false;
    if (load(s, w))
        return true;
    hd_map_release(&s->given);
    hd_search_restart(s);
    return false;
}
