/* format_args.c: see format_args.h. One reader of conversions serves both families: they have the
 * same parts, but that `*` is an argument for printf and "do not assign" for scanf.
 */
#include "runtime/icept/string/format_args.h"

#include "runtime/filter/fill.h"
#include "runtime/icept/string/string_access.h"

#define NONE (-1)

struct conversion {
    const char *next;    /* after it */
    char what;           /* 0 = not understood, '%' = the character itself */
    char length;         /* 'H' for hh, 'q' for ll, L, q, j, z, t; 0 = none */
    bool is_starred;     /* width: `*` */
    bool has_star_precision;
    bool allocates;      /* scanf: m */
    int width, precision; /* NONE if not given */
};

static const char *number(const char *p, int *n)
{
    if (*p < '0' || *p > '9')
        return p;
    for (*n = 0; *p >= '0' && *p <= '9'; p++)
        *n = *n < 1 << 24 ? *n * 10 + (*p - '0') : *n;
    return p;
}

static const char *length_of(const char *p, char *length)
{
    switch (*p) {
    case 'h':
        *length = p[1] == 'h' ? 'H' : 'h';
        return p + (p[1] == 'h' ? 2 : 1);
    case 'l':
        *length = p[1] == 'l' ? 'q' : 'l';
        return p + (p[1] == 'l' ? 2 : 1);
    case 'L':
        *length = 'L';
        return p + 1;
    case 'q':
    case 'j':
    case 'z':
    case 't':
        *length = 'q';
        return p + 1;
    default:
        return p;
    }
}

static bool is_among(char c, const char *set)
{
    while (*set && *set != c)
        set++;
    return c && *set == c;
}

/* The end of a set of scanf: ']' as its first character belongs to it. */
static const char *after_set(const char *p)
{
    p += *p == '^';
    p += *p == ']';
    while (*p && *p != ']')
        p++;
    return *p ? p + 1 : p;
}

/* Pre: *p is behind a '%'. */
static struct conversion read_conversion(const char *p, bool is_scan)
{
    struct conversion c = {.width = NONE, .precision = NONE};
    if (!is_scan)
        while (is_among(*p, "-+ #0'I"))
            p++;
    if (*p == '*') {
        c.is_starred = true;
        p++;
    }
    p = number(p, &c.width);
    if (!is_scan && *p == '.') {
        c.precision = 0;
        c.has_star_precision = p[1] == '*';
        p = c.has_star_precision ? p + 2 : number(p + 1, &c.precision);
    }
    if (is_scan && *p == 'm') {
        c.allocates = true;
        p++;
    }
    p = length_of(p, &c.length);
    c.what = *p == '$' ? 0 : *p;
    c.next = *p ? p + 1 : p;
    if (is_scan && c.what == '[')
        c.next = after_set(c.next);
    return c;
}

static size_t integer_size(char length)
{
    return length == 'H' ? 1 : length == 'h' ? 2 : length == 'l' || length == 'q' || length == 'L' ? 8 : 4;
}

/* ---- printf ------------------------------------------------------------------------------ */

static void state_text(const void *text, int precision, bool is_wide, u64 site)
{
    size_t most = precision < 0 ? SIZE_MAX : (size_t)precision, n = 0;
    if (!text || hd_is_own_stack(text))
        return;
    if (is_wide) /* of how many bytes its characters are is not looked at: up to `most` are read */
        n = precision < 0 ? HD_REAL(wcslen)(text) * sizeof(wchar_t) + sizeof(wchar_t) : 0;
    else if ((n = HD_REAL(strnlen)(text, most)) < most)
        n++;
    hd_reads(text, n, site);
}

void hd_format_state(const char *format, va_list ap, u64 site)
{
    va_list args;
    va_copy(args, ap);
    for (const char *p = format; *p;) {
        if (*p++ != '%')
            continue;
        struct conversion c = read_conversion(p, false);
        p = c.next;
        if (c.is_starred)
            (void)va_arg(args, int);
        if (c.has_star_precision)
            c.precision = va_arg(args, int);
        if (is_among(c.what, "diouxXbB")) {
            if (integer_size(c.length) == 8)
                (void)va_arg(args, long);
            else
                (void)va_arg(args, int);
        } else if (is_among(c.what, "aAeEfFgG")) {
            if (c.length == 'L' || c.length == 'q')
                (void)va_arg(args, long double);
            else
                (void)va_arg(args, double);
        } else if (is_among(c.what, "cC")) {
            (void)va_arg(args, int);
        } else if (c.what == 'p') {
            (void)va_arg(args, void *);
        } else if (is_among(c.what, "sS")) {
            state_text(va_arg(args, const void *), c.precision, c.what == 'S' || c.length == 'l', site);
        } else if (c.what == 'n') {
            hd_writes(va_arg(args, void *), integer_size(c.length), site);
        } else if (!is_among(c.what, "%m")) {
            break;
        }
    }
    va_end(args);
}

/* ---- scanf --------------------------------------------------------------------------------- */

static size_t scan_size(const struct conversion *c)
{
    if (c->allocates)
        return sizeof(void *);
    if (is_among(c->what, "aAeEfFgG"))
        return c->length == 'L' || c->length == 'q' ? sizeof(long double) : c->length == 'l' ? 8 : 4;
    if (is_among(c->what, "cC"))
        return (c->width > 0 ? (size_t)c->width : 1) * (c->what == 'C' || c->length == 'l' ? sizeof(wchar_t) : 1);
    return c->what == 'p' ? sizeof(void *) : integer_size(c->length);
}

static void add_target(struct hd_scan *s, const struct conversion *c, void *to, int at)
{
    if (hd_is_own_stack(to))
        return;
    if (is_among(c->what, "sS[") && !c->allocates) {
        if (s->n_texts == HD_SCAN_PARTS)
            return;
        s->is_wide[s->n_texts] = c->what == 'S' || c->length == 'l';
        s->text_at[s->n_texts] = at;
        s->text[s->n_texts++] = to;
    } else if (s->n_parts < HD_SCAN_PARTS) {
        s->part_at[s->n_parts] = at;
        s->part[s->n_parts++] = (struct iovec){to, scan_size(c)};
    }
}

void hd_scan_keep(struct hd_scan *s, const char *format, va_list ap, u64 site)
{
    int at = 0;
    va_list args;
    s->n_parts = s->n_texts = 0;
    va_copy(args, ap);
    for (const char *p = format; *p;) {
        if (*p++ != '%')
            continue;
        struct conversion c = read_conversion(p, true);
        p = c.next;
        if (c.what == '%' || (c.is_starred && c.what))
            continue;
        if (!is_among(c.what, "diouxXpaAeEfFgGcCsS[n"))
            break;
        void *to = va_arg(args, void *);
        if (c.what == 'n') /* not counted; whether it was reached is only known if more was assigned */
            continue;
        add_target(s, &c, to, at++);
    }
    va_end(args);
    if (s->n_parts)
        hd_fill_keep_iov(s->part, s->n_parts, site);
}

void hd_scan_state(const struct hd_scan *s, int assigned, u64 site)
{
    int n = 0;
    size_t bytes = 0;
    while (n < s->n_parts && s->part_at[n] < assigned)
        bytes += s->part[n++].iov_len;
    if (n)
        hd_fill_state_iov(s->part, n, bytes, site);
    for (int i = 0; i < s->n_texts && s->text_at[i] < assigned; i++)
        hd_writes(s->text[i], s->is_wide[i] ? (HD_REAL(wcslen)(s->text[i]) + 1) * sizeof(wchar_t)
                                            : HD_REAL(strlen)(s->text[i]) + 1, site);
}
