/* paint.c: colour, line wrapping and cutting for terminals of any width. Text
 * of the program never reaches the terminal raw: styles are marks here, and clean.c makes
 * the terminal's sequences of them when it has dealt with everything else. */
#include "report/explain/model.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "report/clean.h"

void hd_paint_on(FILE *to, const struct hd_paint *p, enum hd_style s)
{
    static const char code[] = "0123"; /* PLAIN, BOLD, RED, DIM: see clean.c */
    if (p->color && s)
        fprintf(to, "%c%c", HD_CLEAN_STYLE, code[s]);
}

void hd_paint_off(FILE *to, const struct hd_paint *p)
{
    if (p->color)
        fprintf(to, "%c0", HD_CLEAN_STYLE);
}

/* Next stretch that may not be broken: a word, or a quoted name with blanks. */
static size_t word_length(const char *p, size_t room)
{
    size_t n = strcspn(p, " \n");
    if (*p == '`') {
        const char *end = strchr(p + 1, '`');
        size_t quoted = end ? (size_t)(end - p) + 1 + strcspn(end + 1, " \n") : 0;
        if (quoted > n && quoted <= room)
            return quoted;
    }
    return n;
}

void hd_paint_wrap(FILE *to, const struct hd_paint *p, const char *text, int first, int rest)
{
    int width = p->width > rest + 10 ? p->width : rest + 10;
    int at = first;
    bool is_start = true;
    fprintf(to, "%*s", first, "");
    while (*text) {
        if (*text == '\n') {
            fprintf(to, "\n%*s", rest, "");
            at = rest;
            is_start = true;
            text++;
            continue;
        }
        if (*text == ' ') {
            text++;
            continue;
        }
        size_t n = word_length(text, (size_t)(width - rest));
        if (!is_start && at + 1 + (int)n > width) {
            fprintf(to, "\n%*s", rest, "");
            at = rest;
            is_start = true;
        }
        if (!is_start) {
            fputc(' ', to);
            at++;
        }
        fwrite(text, 1, n, to);
        at += (int)n;
        text += n;
        is_start = false;
    }
    fputc('\n', to);
}

void hd_paint_cut(char *buf, size_t size, const char *text, size_t max)
{
    size_t n = 0;
    max = HD_MIN(max, size - 1);
    for (; text[n] && n < max; n++)
        buf[n] = iscntrl((unsigned char)text[n]) ? (text[n] == '\t' ? ' ' : '?') : text[n];
    if (text[n]) {
        /* do not end inside a UTF-8 character */
        while (n > 0 && ((u8)text[n] & 0xc0) == 0x80)
            n--;
        while (n > 2 && n + 2 > max)
            n--;
        while (n > 0 && ((u8)text[n] & 0xc0) == 0x80)
            n--;
        if (n + 2 <= max) {
            buf[n++] = '.';
            buf[n++] = '.';
        }
    }
    buf[n] = 0;
}

int hd_utf8_length(const u8 *p)
{
    int n = p[0] < 0x80 ? 1 : p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 :
            p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if (n == 3 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)))
        return 0; /* too long, or a surrogate */
    if (n == 4 && ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)))
        return 0;
    return n;
}

void hd_paint_line(FILE *to, const struct hd_paint *p, const char *format, ...)
{
    char text[2048];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    hd_paint_wrap(to, p, text, 2, 4);
}
