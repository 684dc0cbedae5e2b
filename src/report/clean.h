/* clean.h: the one way for text from elsewhere (names, paths, messages, output of programs)
 * to reach a terminal or a file that people read. Line breaks, tabs and printable UTF-8
 * stay; control characters, bytes that are not UTF-8, and characters that change the
 * direction of text become \xNN or \uNNNN. */
#ifndef HD_CLEAN_H
#define HD_CLEAN_H

#include <stdio.h>

#include "base/base.h"

/* A style of paint.c in a text that is still to be cleaned: this byte and a digit. */
#define HD_CLEAN_STYLE '\001'

void hd_clean_put(FILE *to, const char *text);
/* The same; styles become the terminal's sequences. `n` bytes, zero-terminated. */
void hd_clean_put_styled(FILE *to, const char *text, size_t n);
HD_PRINTF(2, 3) void hd_clean_printf(FILE *to, const char *format, ...);

/* Bytes of the character at p that must be escaped and *code, its number; 0 = it is
 * harmless. A byte that is not UTF-8 has *code > 0x10ffff. */
int hd_clean_is_bad(const u8 *p, u32 *code);

#endif
