/* shell.h: words for a POSIX shell. Host only. */
#ifndef HD_TEXT_SHELL_H
#define HD_TEXT_SHELL_H

#include <stdio.h>

/* `text` as one word: in single quotes unless every character of it is plain. */
void hd_shell_word(FILE *to, const char *text);

#endif
