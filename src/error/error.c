/* error.c: see error.h. */
#include "error/error.h"
#include <stdio.h>
#include <string.h>

/* The text was cut: drops the broken word at its end and says that something is missing.
 * A single word that fills everything is cut inside. */
static void end_with_dots(struct hd_error *err)
{
    static const char dots[] = "...";
    size_t end = sizeof err->text - sizeof dots;
    size_t at = end;
    while (at && err->text[at] != ' ')
        at--;
    while (at && err->text[at - 1] == ' ')
        at--;
    memcpy(err->text + (at ? at : end), dots, sizeof dots);
}

int hd_error_setv(struct hd_error *err, int code, const char *format, va_list ap)
{
    if (!err)
        return code;
    struct hd_error made; /* the arguments may be parts of *err */
    int n = vsnprintf(made.text, sizeof made.text, format, ap);
    if (n < 0)
        memcpy(made.text, "?", 2); /* a broken multibyte string, say; the code still tells */
    else if ((size_t)n >= sizeof made.text)
        end_with_dots(&made);
    memcpy(err->text, made.text, strlen(made.text) + 1);
    return code;
}

int hd_error_set(struct hd_error *err, int code, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    hd_error_setv(err, code, format, ap);
    va_end(ap);
    return code;
}

int hd_error_prefix(struct hd_error *err, int code, const char *format, ...)
{
    if (!err || !err->text[0])
        return code;
    struct hd_error prefix;
    va_list ap;
    va_start(ap, format);
    hd_error_setv(&prefix, 0, format, ap);
    va_end(ap);
    return hd_error_set(err, code, "%s: %s", prefix.text, err->text);
}
