/* memory.c: orderings that were covered, could be covered, were tried in vain;
 * and the sites learned to matter.
 *
 * Paper: Maple's memoization (predicted, exposed, failed, attempts). Deviation:
 * attempts are counted per input only and the total is their sum, so that the
 * two cannot disagree after a merge; a new input has no rows, which is the
 * paper's "predicted and attempts are cleared".
 */
#include "store/state.h"

#include <errno.h>

/* The id of an element, made if need be. Pre: in a batch. */
static s64 element_id(struct hd_store *st, s64 build, const struct hd_store_element *e)
{
    HD_ASSERT(e->n <= HD_STORE_SITES);
    s64 metric = hd_store_name(st, e->metric), site[HD_STORE_SITES] = {0};
    if (metric < 0)
        return metric;
    for (u32 i = 0; i < e->n; i++)
        site[i] = e->site[i];
    const struct hd_arg key[] = {HD_I(build),   HD_I(metric),  HD_I(e->sub),  HD_I(site[0]),
                                 HD_I(site[1]), HD_I(site[2]), HD_I(site[3]),
                                 HD_B(e->extra, e->extra_len)};
    int err = hd_sql_do(st, HD_SQL_ELEMENT_PUT, key, HD_COUNT(key)); /* most are new */
    if (err)
        return err;
    return sqlite3_changes(st->db) ? sqlite3_last_insert_rowid(st->db)
                                   : hd_sql_id(st, HD_SQL_ELEMENT_GET, key, HD_COUNT(key));
}

/* Candidates are few: most stores have none, and an element need not look. */
static int has_candidates(struct hd_store *st)
{
    if (!st->candidates) {
        s64 any = hd_sql_id(st, HD_SQL_CANDIDATE_ANY, NULL, 0);
        if (any < 0)
            return (int)any;
        st->candidates = any ? 1 : -1;
    }
    return st->candidates > 0;
}

/* Columns 0 to 7: id, metric, sub, sites, extra. */
static s64 element_columns(sqlite3_stmt *s, struct hd_store_element *e)
{
    *e = (struct hd_store_element){.metric = hd_sql_text(s, 1),
                                   .sub = (u32)sqlite3_column_int64(s, 2)};
    for (int i = 0; i < HD_STORE_SITES; i++) {
        e->site[i] = sqlite3_column_int64(s, 3 + i);
        if (e->site[i])
            e->n = (u32)i + 1;
    }
    e->extra = hd_sql_blob(s, 7, &e->extra_len);
    return sqlite3_column_int64(s, 0);
}

/* ---- covered ------------------------------------------------------------------------------ */

s64 hd_store_element_add(struct hd_store *st, s64 campaign, const struct hd_store_element *e,
                         u64 run, u64 hits)
{
    int err = hd_store_campaign_use(st, campaign);
    if (!err)
        err = hd_store_writes(st);
    s64 id = err ? err : element_id(st, st->build, e);
    if (id < 0)
        return id;
    err = hd_sql_do(st, HD_SQL_SEEN_PUT,
                    HD_ARGS(HD_I(id), HD_I(st->input), HD_I(hits), HD_I(campaign), HD_I(run)));
    if (!err)
        err = has_candidates(st);
    if (err > 0)
        err = hd_store_candidate_set(st, id, HD_STORE_EXPOSED);
    return err ? err : id;
}

int hd_store_element_more(struct hd_store *st, s64 campaign, s64 element, u64 hits)
{
    int e = hd_store_campaign_use(st, campaign);
    if (!e)
        e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_SEEN_MORE, HD_ARGS(HD_I(element), HD_I(st->input),
                                                           HD_I(hits)));
}

int hd_store_elements(struct hd_store *st, s64 build, const char *metric, s64 input,
                      int (*fn)(void *self, const struct hd_store_seen *s), void *self)
{
    sqlite3_stmt *s =
        hd_sql_bind(st, HD_SQL_ELEMENT_LIST, HD_ARGS(HD_I(build), HD_T(metric), HD_I(input)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_seen seen = {
            .runs = (u64)sqlite3_column_int64(s, 8), .inputs = (u32)sqlite3_column_int64(s, 9),
            .campaign = sqlite3_column_int64(s, 10), .run = (u64)sqlite3_column_int64(s, 11),
            .at = sqlite3_column_int64(s, 12)};
        seen.id = element_columns(s, &seen.what);
        if ((e = fn(self, &seen))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

int hd_store_counts(struct hd_store *st, s64 build,
                    int (*fn)(void *self, const struct hd_store_count *c), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_ELEMENT_COUNT, HD_ARGS(HD_I(build)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_count c = {
            .metric = hd_sql_text(s, 0), .sub = (u32)sqlite3_column_int64(s, 1),
            .covered = (u64)sqlite3_column_int64(s, 2),
            .predicted = (u64)sqlite3_column_int64(s, 3),
            .failed = (u64)sqlite3_column_int64(s, 4)};
        if ((e = fn(self, &c))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

/* ---- candidates ----------------------------------------------------------------------------- */

s64 hd_store_candidate_add(struct hd_store *st, s64 build, s64 input,
                           const struct hd_store_element *e)
{
    int err = hd_store_writes(st);
    s64 id = err ? err : element_id(st, build, e);
    if (id < 0)
        return id;
    st->candidates = 1;
    err = hd_sql_do(st, HD_SQL_CANDIDATE_PUT, HD_ARGS(HD_I(id)));
    if (!err)
        err = hd_store_attempt(st, id, input, 0);
    return err ? err : id;
}

int hd_store_attempt(struct hd_store *st, s64 candidate, s64 input, u32 times)
{
    int e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_ATTEMPT_PUT,
                             HD_ARGS(HD_I(candidate), HD_I(input), HD_I(times)));
}

int hd_store_candidate_set(struct hd_store *st, s64 candidate, enum hd_store_state state)
{
    int e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_CANDIDATE_SET, HD_ARGS(HD_I(candidate), HD_I(state)));
}

int hd_store_candidate_external(struct hd_store *st, s64 candidate)
{
    int e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_CANDIDATE_EXTERNAL, HD_ARGS(HD_I(candidate)));
}

int hd_store_candidates(struct hd_store *st, s64 build, s64 input,
                        int (*fn)(void *self, const struct hd_store_candidate *c), void *self)
{
    sqlite3_stmt *s =
        hd_sql_bind(st, HD_SQL_CANDIDATE_LIST, HD_ARGS(HD_I(build), HD_I(input)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_candidate c = {
            .state = (enum hd_store_state)sqlite3_column_int(s, 8),
            .is_predicted = sqlite3_column_int(s, 9) != 0,
            .attempts = (u32)sqlite3_column_int64(s, 10),
            .total = (u64)sqlite3_column_int64(s, 11),
            .is_external = sqlite3_column_int(s, 12) != 0};
        c.id = element_columns(s, &c.what);
        if ((e = fn(self, &c))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

/* ---- learned sites ------------------------------------------------------------------ */

int hd_store_sites_save(struct hd_store *st, s64 build, const struct hd_store_learned *l, u32 n)
{
    int e = hd_store_writes(st);
    for (u32 i = 0; i < n && !e; i++)
        e = hd_sql_do(st, HD_SQL_LEARNED_PUT,
                      HD_ARGS(HD_I(build), HD_I(l[i].site), HD_I(l[i].flags)));
    return e;
}

int hd_store_sites_load(struct hd_store *st, s64 build,
                        int (*fn)(void *self, const struct hd_store_site *s, u32 flags),
                        void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_LEARNED_LIST, HD_ARGS(HD_I(build)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_site site;
        hd_store_site_columns(s, &site);
        if ((e = fn(self, &site, (u32)sqlite3_column_int64(s, 11)))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}
