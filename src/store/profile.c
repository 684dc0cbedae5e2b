/* profile.c: what the cheap runs of a suite's inputs showed. */
#include "store/state.h"

int hd_store_profile_put(struct hd_store *st, s64 build, const void *setting, u32 len,
                         const struct hd_store_profile *p)
{
    int e = hd_store_writes(st);
    return e ? e
             : hd_sql_do(st, HD_SQL_PROFILE_PUT,
                         HD_ARGS(HD_I(build), HD_B(setting, len), HD_I(p->state), HD_I(p->differs),
                                 HD_I(p->threads), HD_I(p->events), HD_F(p->seconds),
                                 HD_B(p->pairs, p->pairs_len), HD_B(p->sites, p->sites_len)));
}

int hd_store_profiles(struct hd_store *st, s64 build, const void *setting, u32 len,
                      int (*fn)(void *self, const struct hd_store_profile *p), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_PROFILE_LIST, HD_ARGS(HD_I(build), HD_B(setting, len)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_profile p = {
            .state = (u32)sqlite3_column_int64(s, 0), .differs = sqlite3_column_int(s, 1) != 0,
            .threads = (u32)sqlite3_column_int64(s, 2), .events = (u64)sqlite3_column_int64(s, 3),
            .seconds = sqlite3_column_double(s, 4)};
        p.pairs = hd_sql_blob(s, 5, &p.pairs_len);
        p.sites = hd_sql_blob(s, 6, &p.sites_len);
        if ((e = fn(self, &p))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}
