/* line.c: see line.h. */
#include "symbol/line.h"

#include <ctype.h>
#include <string.h>

#define MOST 4096

/* Behind a constant of characters; `p` is at its quote. One that is not closed ends the line. */
static const char *behind_constant(const char *p)
{
    const char quote = *p++;
    while (*p && *p != quote)
        p += *p == '\\' && p[1] ? 2 : 1;
    return *p ? p + 1 : p;
}

/* Where code begins: behind the end of a comment that began on a line before. */
static const char *skip_end_of_comment(const char *text)
{
    for (const char *p = text; *p;) {
        if (p[0] == '/' && (p[1] == '/' || p[1] == '*'))
            return text;
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
        p = *p == '"' || *p == '\'' ? behind_constant(p) : p + 1;
    }
    return text;
}

static bool is_word(char c) { return isalnum((u8)c) || c == '_' || c == '$'; }

size_t hd_line_plain(const char *text, char *out, size_t size)
{
    size_t n = 0;
    bool is_apart = false; /* white space or a comment came before */
    for (const char *p = skip_end_of_comment(text); *p;) {
        if (p[0] == '/' && p[1] == '/')
            break;
        if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            is_apart = true;
            if (!end)
                break;
            p = end + 2;
        } else if (isspace((u8)*p)) {
            is_apart = true;
            p++;
        } else {
            const char *end = *p == '"' || *p == '\'' ? behind_constant(p) : p + 1;
            if (is_apart && n && n + 1 < size && is_word(out[n - 1]) && is_word(*p))
                out[n++] = ' ';
            is_apart = false;
            while (p < end && n + 1 < size)
                out[n++] = *p++;
            p = end;
        }
    }
    out[n] = '\0';
    return n;
}

bool hd_line_is_same(const char *a, const char *b, size_t cut)
{
    char x[MOST], y[MOST];
    size_t n = hd_line_plain(a, x, sizeof x), m = hd_line_plain(b, y, sizeof y);
    bool is_cut = strlen(a) >= cut || strlen(b) >= cut;
    return is_cut ? !strncmp(x, y, HD_MIN(n, m)) : !strcmp(x, y);
}
