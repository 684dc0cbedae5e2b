/* element_text.h: elements of coverage as tests write them: "iroot/2:401a00,401b10". */
#ifndef HD_TEST_ELEMENT_TEXT_H
#define HD_TEST_ELEMENT_TEXT_H

#include <string.h>

#include "observe/element.h"

static inline bool element_is_equal(const struct hd_element *a, const struct hd_element *b)
{
    return a->metric == b->metric && a->sub == b->sub && a->n == b->n && a->n_extra == b->n_extra &&
           !memcmp(a->extra, b->extra, sizeof a->extra) &&
           !memcmp(a->site, b->site, sizeof a->site);
}

static inline s32 digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: no digit there, or more than `most`. */
static inline bool get_number(const char **from, u32 base, u64 most, u64 *value)
{
    const char *p = *from;
    s32 d;
    for (*value = 0; (d = digit(*p)) >= 0 && (u32)d < base; p++) {
        if (*value > (most - (u64)d) / base)
            return false;
        *value = *value * base + (u64)d;
    }
    bool is_any = p > *from;
    *from = p;
    return is_any;
}

static inline bool get_metric(const char **from, u8 *metric)
{
    const char *end = strchr(*from, '/');
    if (!end)
        return false;
    *metric = (u8)hd_metric_find(*from, (size_t)(end - *from));
    *from = end + 1;
    return *metric < HD_METRIC_COUNT;
}

/* The element that hd_element_text writes so. False: there is none. */
static inline bool element_parse(struct hd_element *e, const char *text)
{
    u64 v;
    *e = (struct hd_element){0};
    if (!get_metric(&text, &e->metric) || !get_number(&text, 10, HD_ELEMENT_SUBS - 1, &v))
        return false;
    e->sub = (u8)v;
    while (*text == (e->n ? ',' : ':')) {
        text++;
        if (e->n == HD_ELEMENT_SITES || !get_number(&text, 16, UINT64_MAX, &e->site[e->n]))
            return false;
        e->n++;
    }
    while (*text == (e->n_extra ? ',' : ';')) {
        text++;
        if (e->n_extra == HD_ELEMENT_EXTRA || !get_number(&text, 16, UINT32_MAX, &v))
            return false;
        e->extra[e->n_extra++] = (u32)v;
    }
    if (*text || !e->n)
        return false;
    hd_element_canonical(e);
    return true;
}

#endif
