/* element.c: elements as text and in canonical form. See element.h. */
#include "observe/element.h"

#include <string.h>

static const struct {
    const char *name, *doc;
} metric_rows[HD_METRIC_COUNT] = {
#define HD_OBSERVER(name, doc) {#name, doc},
#include "observe/observe.def"
#undef HD_OBSERVER
};

const char *hd_metric_name(u32 metric) { return metric_rows[metric].name; }
const char *hd_metric_doc(u32 metric) { return metric_rows[metric].doc; }

u32 hd_metric_find(const char *name, size_t n)
{
    u32 i = 0;
    while (i < HD_METRIC_COUNT &&
           (strlen(metric_rows[i].name) != n || memcmp(metric_rows[i].name, name, n)))
        i++;
    return i;
}

bool hd_element_is_equal(const struct hd_element *a, const struct hd_element *b)
{
    return a->metric == b->metric && a->sub == b->sub && a->n == b->n &&
           a->n_extra == b->n_extra && !memcmp(a->extra, b->extra, sizeof a->extra) &&
           !memcmp(a->site, b->site, sizeof a->site);
}

static void swap(u64 *a, u64 *b)
{
    u64 was = *a;
    *a = *b;
    *b = was;
}

void hd_element_canonical(struct hd_element *e)
{
    u64 *s = e->site;
    switch (e->metric) {
    case HD_METRIC_iroot: /* two crossed dependencies: either may be called the first */
        if (e->sub == 5 && (s[2] < s[0] || (s[2] == s[0] && s[3] < s[1]))) {
            swap(&s[0], &s[2]);
            swap(&s[1], &s[3]);
        }
        break;
    case HD_METRIC_race:
    case HD_METRIC_cfp:
        if (s[1] < s[0])
            swap(&s[0], &s[1]);
        break;
    default:
        break;
    }
}

/* ---- text -------------------------------------------------------------------- */

static char *put_text(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    return to;
}

static char *put_number(char *to, u64 value, u32 base)
{
    char digits[24];
    u32 n = 0;
    do
        digits[n++] = "0123456789abcdef"[value % base];
    while (value /= base);
    while (n)
        *to++ = digits[--n];
    return to;
}

u32 hd_element_text(const struct hd_element *e, char *out, size_t size)
{
    char *to = out;
    HD_ASSERT(size >= HD_ELEMENT_TEXT && e->metric < HD_METRIC_COUNT);
    to = put_text(to, hd_metric_name(e->metric));
    *to++ = '/';
    to = put_number(to, e->sub, 10);
    for (u32 i = 0; i < e->n; i++) {
        *to++ = i ? ',' : ':';
        to = put_number(to, e->site[i], 16);
    }
    for (u32 i = 0; i < e->n_extra; i++) {
        *to++ = i ? ',' : ';';
        to = put_number(to, e->extra[i], 16);
    }
    *to = 0;
    return (u32)(to - out);
}

static s32 digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: no digit there, or more than `most`. */
static bool get_number(const char **from, u32 base, u64 most, u64 *value)
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

static bool get_metric(const char **from, u8 *metric)
{
    const char *end = strchr(*from, '/');
    if (!end)
        return false;
    *metric = (u8)hd_metric_find(*from, (size_t)(end - *from));
    *from = end + 1;
    return *metric < HD_METRIC_COUNT;
}

bool hd_element_parse(struct hd_element *e, const char *text)
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
