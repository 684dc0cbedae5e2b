/* race.c: races that runs were driven into, in which order and how often, and what came of it. */
#include "store/state.h"

static s64 race_id(struct hd_store *st, s64 build, const struct hd_store_race *r)
{
    const struct hd_arg key[] = {HD_I(build), HD_I(r->kind), HD_I(r->site[0]), HD_I(r->site[1]),
                                 HD_I(r->site[2]), HD_I(r->site[3]), HD_T(r->variable)};
    int e = hd_sql_do(st, HD_SQL_RACE_PUT, key, HD_COUNT(key));
    return e ? e : hd_sql_id(st, HD_SQL_RACE_GET, key, HD_COUNT(key));
}

int hd_store_race_tried(struct hd_store *st, s64 build, s64 input, const struct hd_store_race *r)
{
    int e = hd_store_writes(st);
    s64 id = e ? e : race_id(st, build, r);
    if (id < 0)
        return (int)id;
    e = hd_sql_do(st, HD_SQL_RACE_TRY_PUT,
                  HD_ARGS(HD_I(id), HD_I(input), HD_I(r->doubt), HD_I(r->runs[0]), HD_I(r->runs[1]),
                          HD_I(r->class), HD_T(r->result), HD_T(r->finding)));
    if (!e && r->class)
        e = hd_sql_do(st, HD_SQL_RACE_TRY_SET, HD_ARGS(HD_I(id), HD_I(input), HD_I(r->class),
                                                       HD_T(r->result), HD_T(r->finding)));
    return e;
}

int hd_store_races(struct hd_store *st, s64 build, s64 input,
                   int (*fn)(void *self, const struct hd_store_race *r), void *self)
{
    sqlite3_stmt *s = hd_sql_bind(st, HD_SQL_RACE_LIST, HD_ARGS(HD_I(build), HD_I(input)));
    int e;
    while ((e = s ? hd_sql_row(st, s) : st->code) > 0) {
        struct hd_store_race r = {
            .kind = (u32)sqlite3_column_int64(s, 1), .variable = hd_sql_text(s, 6),
            .doubt = (u32)sqlite3_column_int64(s, 7),
            .runs = {(u64)sqlite3_column_int64(s, 8), (u64)sqlite3_column_int64(s, 9)},
            .class = (u32)sqlite3_column_int64(s, 10), .result = hd_sql_text(s, 11),
            .finding = hd_sql_text(s, 12), .is_here = sqlite3_column_int(s, 13) != 0,
            .in_vain = (u32)sqlite3_column_int64(s, 14)};
        for (int i = 0; i < HD_STORE_SITES; i++)
            r.site[i] = sqlite3_column_int64(s, 2 + i);
        if ((e = fn(self, &r))) {
            hd_sql_end(s);
            break;
        }
    }
    return e;
}
