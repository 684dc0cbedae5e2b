/* shell.c: see shell.h. */
#include "text/shell.h"

#include <string.h>

void hd_shell_word(FILE *to, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+=:@%,";
    if (*text && !text[strspn(text, plain)]) {
        fputs(text, to);
        return;
    }
    fputc('\'', to);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", to);
        else
            fputc(*text, to);
    fputc('\'', to);
}
