/* clean.c: see clean.h. */
#include "report/clean.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/explain/model.h"

#define NO_CHARACTER 0x110000u

static const char *const style[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[2m"};

static u32 code_of(const u8 *p, int n)
{
    u32 c = n == 1 ? p[0] : p[0] & (0x7fu >> n);
    for (int i = 1; i < n; i++)
        c = c << 6 | (p[i] & 0x3f);
    return c;
}

static bool is_harmful(u32 c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

int hd_clean_is_bad(const u8 *p, u32 *code)
{
    int n = hd_utf8_length(p);
    *code = n ? code_of(p, n) : NO_CHARACTER;
    return !n ? 1 : is_harmful(*code) ? n : 0;
}

static void put(FILE *to, const char *text, size_t n, bool is_styled)
{
    const u8 *p = (const u8 *)text, *end = p + n;
    while (p < end) {
        u32 code;
        if (is_styled && *p == HD_CLEAN_STYLE && p + 1 < end && p[1] >= '0' &&
            p[1] < '0' + (int)HD_COUNT(style)) {
            fputs(style[p[1] - '0'], to);
            p += 2;
            continue;
        }
        int bad = hd_clean_is_bad(p, &code);
        if (!bad || *p == '\n' || *p == '\t') {
            int k = bad ? 1 : hd_utf8_length(p);
            fwrite(p, 1, (size_t)k, to);
            p += k;
            continue;
        }
        if (code < 0x80 || code == NO_CHARACTER)
            fprintf(to, "\\x%02x", *p);
        else
            fprintf(to, "\\u%04x", code);
        p += bad;
    }
}

void hd_clean_put(FILE *to, const char *text) { put(to, text, strlen(text), false); }

void hd_clean_put_styled(FILE *to, const char *text, size_t n) { put(to, text, n, true); }

void hd_clean_printf(FILE *to, const char *format, ...)
{
    char *text = NULL;
    va_list ap;
    va_start(ap, format);
    int n = vasprintf(&text, format, ap);
    va_end(ap);
    if (n < 0)
        return;
    put(to, text, (size_t)n, false);
    free(text);
}
