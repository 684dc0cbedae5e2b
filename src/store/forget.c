/* forget.c: takes a build out of the store that nobody needs any more: what was tested, tried and
 * learned in it. That it was tested, for how long, what was not controlled and what was found in it
 * stays: build, version, campaigns, findings and their sightings. */
#include "store/state.h"

#include <stdio.h>
#include <stdlib.h>

/* %1$lld is the build. Sites that elements of other builds name stay. */
static const char forget[] =
    "UPDATE campaign SET runs = max(runs, (SELECT count(*) FROM run r WHERE r.campaign = "
    "campaign.id)), seconds = max(seconds, coalesce((SELECT max(seconds) FROM run r WHERE "
    "r.campaign = campaign.id), 0)) WHERE build = %1$lld;"
    "DELETE FROM run WHERE campaign IN (SELECT id FROM campaign WHERE build = %1$lld);"
    "DELETE FROM curve WHERE campaign IN (SELECT id FROM campaign WHERE build = %1$lld);"
    "DELETE FROM arm WHERE campaign IN (SELECT id FROM campaign WHERE build = %1$lld);"
    "DELETE FROM attempt WHERE element IN (SELECT id FROM element WHERE build = %1$lld);"
    "DELETE FROM candidate WHERE element IN (SELECT id FROM element WHERE build = %1$lld);"
    "DELETE FROM seen WHERE element IN (SELECT id FROM element WHERE build = %1$lld);"
    "DELETE FROM element WHERE build = %1$lld;"
    "DELETE FROM learned WHERE build = %1$lld;"
    "DELETE FROM predecessor WHERE build = %1$lld;"
    "DELETE FROM search WHERE build = %1$lld;"
    "DELETE FROM profile WHERE build = %1$lld;"
    "DELETE FROM function WHERE build = %1$lld;"
    "DELETE FROM piece WHERE build = %1$lld;"
    "DELETE FROM race_try WHERE race IN (SELECT id FROM race WHERE build = %1$lld);"
    "DELETE FROM race WHERE build = %1$lld;"
    "DELETE FROM site WHERE build = %1$lld AND id NOT IN (SELECT site FROM learned) AND id NOT IN "
    "(SELECT s0 FROM element UNION SELECT s1 FROM element UNION SELECT s2 FROM element UNION "
    "SELECT s3 FROM element UNION SELECT s0 FROM race UNION SELECT s1 FROM race UNION "
    "SELECT s2 FROM race UNION SELECT s3 FROM race);";

int hd_store_forget(struct hd_store *st, s64 build)
{
    char *sql = NULL;
    int e = hd_store_writes(st);
    if (e)
        return e;
    HD_ASSERT(asprintf(&sql, forget, (long long)build) > 0);
    e = sqlite3_exec(st->db, sql, NULL, NULL, NULL) ? hd_sql_fail(st) : 0;
    free(sql);
    st->candidates = 0;
    return e;
}

int hd_store_shrink(struct hd_store *st)
{
    int e = hd_store_commit(st);
    if (!e)
        e = sqlite3_exec(st->db, "VACUUM", NULL, NULL, NULL) ? hd_sql_fail(st) : 0;
    return e;
}
