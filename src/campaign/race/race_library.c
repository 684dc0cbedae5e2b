/* race_library.c: races between two lines of the C++ library's own headers, for which the program
 * that uses it is not to blame. */
#include "campaign/race/explorer.h"

#include <string.h>

#include "report/explain/model.h"

/* Each fills a cache with a value that is always the same, without any order: by design of the
 * library (its bug 77704), and nothing a user can mend. */
static const char *const by_design[] = {"std::ctype<char>::narrow", "std::ctype<char>::widen"};

static bool is_named(const struct hd_srcloc *l)
{
    for (u32 i = 0; i < HD_COUNT(by_design); i++)
        if (l->function && strstr(l->function, by_design[i]))
            return true;
    return false;
}

bool hd_race_is_library(struct hd_explorer *x, const u64 site[2])
{
    for (u32 i = 0; i < 2; i++) {
        struct hd_srcloc l;
        hd_symbols_code(x->symbols, site[i], true, &l, 1);
        if (hd_model_is_users(&l))
            return false;
    }
    return true;
}

bool hd_race_is_by_design(struct hd_explorer *x, const u64 *site, u32 n)
{
    for (u32 i = 0; i < n; i++) {
        struct hd_srcloc l;
        hd_symbols_code(x->symbols, site[i], true, &l, 1);
        if (!is_named(&l))
            return false;
    }
    return true;
}
