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
