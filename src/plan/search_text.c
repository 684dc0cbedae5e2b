/* search_text.c: what a search came to, in sentences. See search_run.h. */
#include "plan/search_run.h"

#include <stdio.h>

#include "search/search.h"

bool hd_search_outcome_is_complete(const struct hd_search_outcome *c)
{
    return c->method && c->is.is_complete && !c->campaign.uncontrolled;
}

/* "1, 4 and 7" */
static void put_threads(char *buf, size_t size, u64 set)
{
    size_t n = 0;
    buf[0] = '\0';
    for (u32 t = 0, left = (u32)__builtin_popcountll(set); t < 64 && n < size; t++)
        if (set >> t & 1)
            n += (size_t)snprintf(buf + n, size - n, "T%u%s", t,
                                  --left > 1 ? ", " : left ? " and " : "");
}

static void format_first(const struct hd_search_outcome *c, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->is;
    unsigned long long n = r->explored;
    const char *param = c->method->param_name;
    bool is_bound = r->limits == 1u << HD_LIMIT_BOUND && param;
    if (hd_search_outcome_is_complete(c))
        snprintf(buf, size, "all %llu interleaving%s explored%s%s", n, n == 1 ? "" : "s",
                 r->is_reduced ? ", up to the order of steps that do not touch each other" : "",
                 c->campaign.is_instrumented ? "" : "; memory accesses were not seen");
    else if (r->is_over && is_bound && !c->campaign.uncontrolled)
        snprintf(buf, size, "all %llu interleaving%s with at most %llu %s explored%s", n,
                 n == 1 ? "" : "s", (unsigned long long)c->param, param,
                 r->is_reduced ? ", up to the order of steps that do not touch each other" : "");
    else if (r->is_over)
        snprintf(buf, size, "search over after %llu interleaving%s, but not everything was "
                 "explored", n, n == 1 ? "" : "s");
    else if (r->bound && param)
        snprintf(buf, size, "search not finished: %llu interleavings so far, all with fewer than "
                 "%u %s among them", n, r->bound, param);
    else
        snprintf(buf, size, "search not finished: %llu interleaving%s so far", n,
                 n == 1 ? "" : "s");
}

static void format_chance(const struct hd_search_outcome *c, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->is;
    char before[128], now[128];
    if (!r->chance.expected && !r->chance.met) {
        snprintf(buf, size, "not deterministic: at step %u thread T%u did another thing after the "
                 "same choices", r->chance.step, r->chance.tid);
        return;
    }
    put_threads(before, sizeof before, r->chance.expected);
    put_threads(now, sizeof now, r->chance.met);
    snprintf(buf, size, "not deterministic: at step %u, where %s could go before, the same choices "
             "led to %s", r->chance.step, before[0] ? before : "nobody", now[0] ? now : "nobody");
}

bool hd_search_outcome_text(const struct hd_search_outcome *c, u32 i, char *buf, size_t size)
{
    const struct hd_search_result *r = &c->is;
    if (!c->method || c->campaign.max_threads < 2)
        return false;
    if (i-- == 0) {
        format_first(c, buf, size);
        return true;
    }
    bool is_named = r->is_over && r->limits == 1u << HD_LIMIT_BOUND;
    for (u32 l = 0; l < HD_LIMIT_COUNT && !is_named; l++)
        if ((r->limits >> l & 1) && i-- == 0) {
            if (l == HD_LIMIT_CHANCE)
                format_chance(c, buf, size);
            else if (l == HD_LIMIT_FAIR)
                snprintf(buf, size, "limit: loops that wait were left to wait after %u rounds "
                         "without news", c->rounds);
            else
                snprintf(buf, size, "limit: %s", hd_search_limit_text((enum hd_limit)l));
            return true;
        }
    if (r->guided && i-- == 0) {
        snprintf(buf, size, "guidance had nothing left after %llu runs",
                 (unsigned long long)r->guided);
        return true;
    }
    if (c->before && i-- == 0) {
        snprintf(buf, size, "%llu runs of it were done by earlier campaigns (--fresh starts over)",
                 (unsigned long long)c->before);
        return true;
    }
    if (c->is_saved && i-- == 0) {
        snprintf(buf, size, "the same command goes on from here");
        return true;
    }
    if (c->not_saved && i-- == 0) {
        snprintf(buf, size, "what is left could not be kept: %s", c->not_saved);
        return true;
    }
    if (c->not_continued && i-- == 0) {
        snprintf(buf, size, "%s", c->not_continued);
        return true;
    }
    if (c->restarts && i-- == 0) {
        snprintf(buf, size, "the search began again %u time%s, when more scheduling points became "
                 "known", c->restarts, c->restarts == 1 ? "" : "s");
        return true;
    }
    return false;
}
