/* choose.c: which metrics a campaign observes, from the words of --coverage. */
#include "cover/cover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hd_cover_metric(const char *text, u32 *metric, u32 *sub)
{
    size_t n = strlen(text), digits = 0;
    *sub = 0;
    *metric = hd_metric_find(text, n);
    if (*metric < HD_METRIC_COUNT)
        return true;
    while (digits < n && text[n - digits - 1] >= '0' && text[n - digits - 1] <= '9')
        digits++;
    *metric = hd_metric_find(text, n - digits);
    if (!digits || digits > 2 || *metric >= HD_METRIC_COUNT)
        return false;
    *sub = (u32)atoi(text + n - digits);
    return *sub > 0 && *sub < HD_ELEMENT_SUBS;
}

static int unknown_metric(const char *word, struct hd_error *err)
{
    char names[512] = "";
    size_t n = 0;
    for (u32 m = 0; m < HD_METRIC_COUNT && n < sizeof names; m++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s, ", hd_metric_name(m));
    return hd_error_set(err, -EINVAL,
                        "unknown metric '%s': there are %siroot1 (only idiom 1); all, "
                        "auto and none",
                        word, names);
}

int hd_cover_choose(struct hd_cover_choice *c, const char *list, struct hd_error *err)
{
    bool has_iroot = false;
    *c = (struct hd_cover_choice){0};
    if (!strcmp(list, "none"))
        return 0;
    c->is_auto = !strcmp(list, "auto");
    if (c->is_auto || !strcmp(list, "all")) {
        c->metrics = HD_METRICS_ALL;
        return 0;
    }
    for (const char *at = list; *at;) {
        char word[32];
        size_t n = strcspn(at, ",");
        u32 metric, sub;
        snprintf(word, sizeof word, "%.*s", (int)HD_MIN(n, sizeof word - 1), at);
        bool is_pairs = !strcmp(word, "iroot1");
        if (!hd_cover_metric(word, &metric, &sub) || (sub && !is_pairs))
            return unknown_metric(word, err);
        c->metrics |= (u64)1 << metric;
        c->only_pairs |= is_pairs;
        has_iroot |= metric == HD_METRIC_iroot && !is_pairs;
        at += n + (at[n] == ',');
    }
    c->only_pairs &= !has_iroot;
    return c->metrics ? 0 : unknown_metric("", err);
}
