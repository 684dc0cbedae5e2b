/* search.c: searches that are not over, one row each, and what hapset learned from good
 * runs. The state of a search is a text that src/search and src/plan write and check; a sum
 * beside it tells a row that was changed by somebody else.
 */
#include "store/state.h"

#include <errno.h>
#include <string.h>

/* FNV-1a. */
static s64 sum_of(const char *text)
{
    u64 h = 0xcbf29ce484222325ull;
    for (; *text; text++)
        h = (h ^ (u8)*text) * 0x100000001b3ull;
    return (s64)h;
}

#define KEY(s, method)                                                                             \
    HD_I((s)->build), HD_I((s)->input), HD_I(method), HD_I((s)->param), HD_I((s)->mode)

int hd_store_search_save(struct hd_store *st, const struct hd_store_search *s)
{
    int e = hd_store_writes(st);
    s64 method = e ? e : hd_store_name(st, s->method);
    if (method < 0)
        return (int)method;
    return hd_sql_do(st, HD_SQL_SEARCH_PUT,
                     HD_ARGS(KEY(s, method), HD_I(s->layout), HD_I(s->runs), HD_I(sum_of(s->state)),
                             HD_T(s->state)));
}

int hd_store_search_load(struct hd_store *st, struct hd_store_search *s,
                         int (*fn)(void *self, const struct hd_store_search *s), void *self)
{
    s64 method = hd_sql_id(st, HD_SQL_NAME_GET, HD_ARGS(HD_T(s->method)));
    if (method <= 0)
        return method ? (int)method : -ENOENT;
    sqlite3_stmt *q = hd_sql_bind(st, HD_SQL_SEARCH_GET, HD_ARGS(KEY(s, method)));
    int e = q ? hd_sql_row(st, q) : st->code;
    if (e <= 0)
        return e ? e : -ENOENT;
    s->layout = (u64)sqlite3_column_int64(q, 0);
    s->runs = (u64)sqlite3_column_int64(q, 1);
    s->state = hd_sql_text(q, 3);
    if (sum_of(s->state) != sqlite3_column_int64(q, 2))
        e = hd_store_explain(st, -EBADMSG, "%s: a saved search is damaged.", st->path);
    else
        e = fn(self, s);
    s->state = NULL;
    hd_sql_end(q);
    return e;
}

int hd_store_search_remove(struct hd_store *st, const struct hd_store_search *s)
{
    s64 method = hd_sql_id(st, HD_SQL_NAME_GET, HD_ARGS(HD_T(s->method)));
    if (method <= 0)
        return (int)method;
    int e = hd_store_writes(st);
    return e ? e : hd_sql_do(st, HD_SQL_SEARCH_DEL, HD_ARGS(KEY(s, method)));
}

int hd_store_predecessors_save(struct hd_store *st, s64 build, u64 layout, const u64 *pair, u32 n)
{
    int e = hd_store_writes(st);
    for (u32 i = 0; !e && i < n; i++)
        e = hd_sql_do(st, HD_SQL_PREDECESSOR_PUT,
                      HD_ARGS(HD_I(build), HD_I(layout), HD_I(pair[i])));
    return e;
}

int hd_store_predecessors_load(struct hd_store *st, s64 build, u64 layout,
                               void (*fn)(void *self, u64 pair), void *self)
{
    sqlite3_stmt *q = hd_sql_bind(st, HD_SQL_PREDECESSOR_LIST, HD_ARGS(HD_I(build), HD_I(layout)));
    int e = q ? 1 : st->code;
    while (e > 0 && (e = hd_sql_row(st, q)) > 0)
        fn(self, (u64)sqlite3_column_int64(q, 0));
    return e;
}
