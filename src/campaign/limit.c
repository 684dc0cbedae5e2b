/* limit.c: runs that a limit of ours ended. They say nothing about the program, so
 * they are no findings: they are counted, and the summary says what to do. */
#include "campaign/limit.h"

#include <string.h>

static const struct {
    const char *word, *what, *advice;
} limits[HD_RUN_LIMIT_COUNT] = {
    [HD_RUN_LIMIT_NONE] = {"none", "nothing", ""},
    [HD_RUN_LIMIT_STEPS] = {"steps", "the limit of steps",
                        "raise it with --steps, or give the program less to do"},
    [HD_RUN_LIMIT_TIME] = {"time", "the limit of time for one run",
                       "raise it with --timeout, or give the program less to do"},
    [HD_RUN_LIMIT_LOG] = {"log", "the room for recorded choices",
                      "give the program less to do, or make room for temporary memory"},
    [HD_RUN_LIMIT_MEMORY] = {"memory", "the memory of Heddle's runtime",
                         "use fewer threads or objects, or raise the limit of memory (ulimit -v)"},
};

const char *hd_limit_word(u32 limit)
{
    return limits[limit < HD_RUN_LIMIT_COUNT ? limit : HD_RUN_LIMIT_NONE].word;
}

void hd_limit_count(struct hd_campaign *c, const struct hd_verdict *v)
{
    if (v->kind == HD_V_LIMIT)
        c->limited[v->limit < HD_RUN_LIMIT_COUNT ? v->limit : HD_RUN_LIMIT_NONE]++;
}

u64 hd_limit_runs(const struct hd_campaign *c)
{
    u64 n = 0;
    for (u32 i = 0; i < HD_RUN_LIMIT_COUNT; i++)
        n += c->limited[i];
    return n;
}

bool hd_limit_format(const struct hd_campaign *c, u32 line, char *buf, size_t size)
{
    for (u32 i = HD_RUN_LIMIT_NONE + 1; i < HD_RUN_LIMIT_COUNT; i++) {
        if (!c->limited[i] || line--)
            continue;
        snprintf(buf, size, "inconclusive: %llu of %llu run%s met %s and %s ended there: %s",
                 (unsigned long long)c->limited[i], (unsigned long long)c->runs,
                 c->runs == 1 ? "" : "s", limits[i].what, c->limited[i] == 1 ? "was" : "were",
                 limits[i].advice);
        return true;
    }
    return false;
}

const char *hd_campaign_untested(const struct hd_campaign *c)
{
    if (!c->runs)
        return "nothing was tested: no run came to an end; give it more time (--time, --timeout)";
    if (c->max_threads < 2)
        return "nothing was tested: the program never had a second thread; give the arguments or "
               "input that make it start threads";
    if (!c->points && c->slow_points)
        return NULL;
    if (!c->points && c->sleep_at[0])
        return c->sleep_at;
    if (!c->points && c->is_done && c->runs < 2)
        return NULL; /* a new build all of which was tested before */
    if (!c->points && c->is_instrumented && c->runs < 2)
        return "nothing was tested: this one run had no choice between threads; accesses that "
               "race are noticed in a run and become scheduling points of the next one, so use "
               "'heddle test', which makes more";
    if (!c->points)
        return c->is_instrumented
                   ? "nothing was tested: there was never a moment when two threads could run; "
                     "their order is fixed by the program"
                   : "nothing was tested: two threads never met at a synchronization call, and "
                     "their memory accesses are not seen; build with -g -fsanitize=thread";
    return NULL;
}

const char *hd_campaign_inconclusive(const struct hd_campaign *c)
{
    u64 met = hd_limit_runs(c);
    if (met && met >= c->runs) /* before: how far they got says nothing */
        return "inconclusive: every run was ended by a limit of Heddle, not by the program";
    if (c->interrupted) /* before: more runs might have tested something */
        return "interrupted before the budget was used up; nothing found so far";
    return hd_campaign_untested(c);
}
