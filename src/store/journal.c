/* journal.c: what was done: campaigns, their runs, curves and findings. */
#include "store/state.h"

#include <errno.h>
#include <sys/random.h>

s64 hd_store_campaign_begin(struct hd_store *st, s64 program, s64 build, s64 input,
                            const char *strategy, u64 seed)
{
    u8 uid[16];
    s64 name = hd_store_name(st, strategy);
    int e = name < 0 ? (int)name : hd_store_writes(st);
    if (!e && getrandom(uid, sizeof uid, 0) != sizeof uid)
        e = hd_store_explain(st, -EIO, "the system gives no random numbers.");
    if (!e)
        e = hd_sql_do(st, HD_SQL_CAMPAIGN_PUT,
                      HD_ARGS(HD_B(uid, sizeof uid), HD_I(program), HD_I(build), HD_I(input),
                              HD_I(name), HD_I(seed), HD_I(hd_store_unix_ms())));
    if (e)
        return e;
    st->campaign = sqlite3_last_insert_rowid(st->db);
    st->build = build;
    st->input = input;
    e = hd_store_commit(st);
    return e ? e : st->campaign;
}

int hd_store_campaign_end(struct hd_store *st, s64 campaign, u64 runs, double seconds)
{
    int e = hd_store_writes(st);
    if (!e)
        e = hd_sql_do(st, HD_SQL_CAMPAIGN_END, HD_ARGS(HD_I(campaign), HD_I(runs), HD_F(seconds)));
    return e ? e : hd_store_commit(st);
}

int hd_store_campaign_use(struct hd_store *st, s64 campaign)
{
    if (st->campaign == campaign)
        return 0;
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_CAMPAIGN_GET, HD_ARGS(HD_I(campaign)));
    int e = s ? hd_sql_row(st, s) : st->code;
    if (e < 0)
        return e;
    if (!e)
        return hd_store_explain(st, -EINVAL, "%s: there is no campaign %lld.", st->path,
                                (long long)campaign);
    st->campaign = campaign;
    st->build = sqlite3_column_int64(s, 0);
    st->input = sqlite3_column_int64(s, 1);
    hd_sql_end(s);
    return 0;
}

int hd_store_campaigns(struct hd_store *st, s64 program,
                       int (*fn)(void *self, const struct hd_store_campaign *c), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_CAMPAIGN_LIST, HD_ARGS(HD_I(program)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_campaign c = {
            .id = sqlite3_column_int64(s, 0), .build = sqlite3_column_int64(s, 1),
            .input = sqlite3_column_int64(s, 2), .args = hd_sql_text(s, 3),
            .strategy = hd_sql_text(s, 4), .seed = (u64)sqlite3_column_int64(s, 5),
            .runs = (u64)sqlite3_column_int64(s, 6), .started_at = sqlite3_column_int64(s, 7),
            .seconds = sqlite3_column_double(s, 8), .is_ended = sqlite3_column_int(s, 9) != 0};
        if ((e = fn(self, &c))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

/* ---- runs and curves ------------------------------------------------------------------- */

int hd_store_run(struct hd_store *st, s64 campaign, const struct hd_store_run *r)
{
    s64 strategy = hd_store_name(st, r->strategy);
    s64 verdict = strategy < 0 ? strategy : hd_store_name(st, r->verdict);
    int e = verdict < 0 ? (int)verdict : hd_store_writes(st);
    if (!e)
        e = hd_sql_do(st, HD_SQL_RUN_PUT,
                      HD_ARGS(HD_I(campaign), HD_I(r->number), HD_I(r->seed), HD_I(strategy),
                              HD_I(verdict), HD_I(r->steps), HD_I(r->points), HD_F(r->seconds)));
    return e ? e : hd_store_tick(st);
}

int hd_store_curve_add(struct hd_store *st, s64 campaign, const char *metric, u64 run,
                       double seconds, u64 covered)
{
    s64 name = hd_store_name(st, metric);
    int e = name < 0 ? (int)name : hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_CURVE_PUT,
                             HD_ARGS(HD_I(campaign), HD_I(name), HD_I(run), HD_F(seconds),
                                     HD_I(covered)));
}

int hd_store_curve(struct hd_store *st, s64 campaign, const char *metric,
                   int (*fn)(void *self, u64 run, double seconds, u64 covered), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_CURVE_LIST, HD_ARGS(HD_I(campaign), HD_T(metric)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0)
        if ((e = fn(self, (u64)sqlite3_column_int64(s, 0), sqlite3_column_double(s, 1),
                    (u64)sqlite3_column_int64(s, 2)))) {
            hd_sql_end(s);
            break;
        }
    return e;
}

int hd_store_arm_add(struct hd_store *st, s64 campaign, const struct hd_store_arm *a)
{
    s64 name = hd_store_name(st, a->name);
    int e = name < 0 ? (int)name : hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_ARM_PUT,
                             HD_ARGS(HD_I(campaign), HD_I(name), HD_I(a->runs), HD_I(a->cost),
                                     HD_I(a->news)));
}

int hd_store_arms(struct hd_store *st, s64 campaign,
                  void (*fn)(void *self, const struct hd_store_arm *a), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_ARM_LIST, HD_ARGS(HD_I(campaign)));
    int e = s ? 1 : st->code;
    while (e > 0 && (e = hd_sql_row(st, s)) > 0)
        fn(self, &(struct hd_store_arm){hd_sql_text(s, 0), (u64)sqlite3_column_int64(s, 1),
                                        (u64)sqlite3_column_int64(s, 2),
                                        (u64)sqlite3_column_int64(s, 3)});
    return e;
}

int hd_store_uncontrolled_add(struct hd_store *st, s64 campaign, const char *what)
{
    int e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_UNCONTROLLED_PUT, HD_ARGS(HD_I(campaign), HD_T(what)));
}

static int list_texts(struct hd_store *st, sqlite3_stmt *s,
                      void (*fn)(void *self, const char *text), void *self)
{
    int e = s ? 1 : st->code;
    while (e > 0 && (e = hd_sql_row(st, s)) > 0)
        fn(self, hd_sql_text(s, 0));
    return e;
}

int hd_store_uncontrolled(struct hd_store *st, s64 campaign,
                          void (*fn)(void *self, const char *what), void *self)
{
    return list_texts(st, hd_sql_bind(st, HD_SQL_UNCONTROLLED_LIST, HD_ARGS(HD_I(campaign))), fn, self);
}

/* ---- findings ---------------------------------------------------------------------------- */

int hd_store_finding_add(struct hd_store *st, s64 campaign, const struct hd_store_finding *f,
                         u64 run, u64 times)
{
    int e = hd_store_campaign_use(st, campaign);
    if (!e)
        e = hd_store_writes(st);
    s64 id = e ? e : hd_sql_id(st, HD_SQL_FINDING_GET, HD_ARGS(HD_I(st->build), HD_T(f->key)));
    if (id < 0)
        return (int)id;
    bool is_new = !id;
    if (is_new) {
        e = hd_sql_do(st, HD_SQL_FINDING_PUT, HD_ARGS(HD_I(st->build), HD_T(f->key), HD_T(f->kind),
                                                      HD_T(f->title), HD_T(f->dir)));
        id = sqlite3_last_insert_rowid(st->db);
    } else {
        e = hd_sql_do(st, HD_SQL_FINDING_SET, HD_ARGS(HD_I(id), HD_T(f->title), HD_T(f->dir)));
    }
    if (!e)
        e = hd_sql_do(st, HD_SQL_SIGHTING_PUT,
                      HD_ARGS(HD_I(id), HD_I(campaign), HD_I(run), HD_I(times)));
    if (!e && is_new)
        e = hd_store_commit(st);
    return e ? e : is_new;
}

int hd_store_findings(struct hd_store *st, s64 build,
                      int (*fn)(void *self, const struct hd_store_finding *f), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_FINDING_LIST, HD_ARGS(HD_I(build)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_finding f = {
            .key = hd_sql_text(s, 0), .kind = hd_sql_text(s, 1), .title = hd_sql_text(s, 2),
            .dir = hd_sql_text(s, 3), .build = sqlite3_column_int64(s, 4),
            .first_at = sqlite3_column_int64(s, 5), .times = (u64)sqlite3_column_int64(s, 6)};
        if ((e = fn(self, &f))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

int hd_store_findings_of(struct hd_store *st, s64 build, s64 input,
                         int (*fn)(void *self, const struct hd_store_finding *f), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_FINDING_OF_INPUT, HD_ARGS(HD_I(build), HD_I(input)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_finding f = {.key = hd_sql_text(s, 0), .kind = hd_sql_text(s, 1),
                                     .title = hd_sql_text(s, 2), .dir = hd_sql_text(s, 3),
                                     .build = build};
        if ((e = fn(self, &f))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}

int hd_store_sightings(struct hd_store *st, s64 campaign, void (*fn)(void *self, const char *key),
                       void *self)
{
    return list_texts(st, hd_sql_bind(st, HD_SQL_SIGHTING_LIST, HD_ARGS(HD_I(campaign))), fn, self);
}
